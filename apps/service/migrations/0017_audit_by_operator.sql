-- outside a transaction
-- The audit log by the operator who acted, whatever key or session it was (list-audit-entries.sql).
create or replace function acting_operator(actor text) returns bigint immutable language sql as $$
  select substring(actor from '^operator (\d+) ')::bigint
$$;
create index concurrently if not exists audit_entries_by_operator
  on audit_entries (acting_operator(actor), audit_id);
