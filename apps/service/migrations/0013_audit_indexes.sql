-- outside a transaction
-- The audit log by action and by actor (list-audit-entries.sql).
create index concurrently if not exists audit_entries_by_action on audit_entries (audit_action, audit_id);
create index concurrently if not exists audit_entries_by_actor on audit_entries (actor, audit_id);
