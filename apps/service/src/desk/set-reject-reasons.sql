with seen as (
  select reasons as old_reasons from reject_reasons for no key update
), changed as (
  update reject_reasons set reasons = :reasons, changed_at = now(), changed_by = :actor
  from seen
  returning reasons, changed_at, changed_by, old_reasons
), audited as (
  insert into audit_entries (audit_action, old_value, new_value, actor, request_id)
  select 'reject_reasons_changed', jsonb_build_object('reasons', old_reasons), jsonb_build_object('reasons', reasons),
    :actor, :request_id
  from changed
  where reasons <> old_reasons
)
select to_jsonb(reasons) as reasons, changed_at, shown_actor(changed_by) as changed_by from changed
