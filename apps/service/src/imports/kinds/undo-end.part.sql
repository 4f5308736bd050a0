undone as (
  update imports i set import_state = 'undone', import_key = null, updated_at = now()
  from verdict v
  where v.possible and i.import_id = v.import_id
  returning i.import_id, i.import_kind, i.rows_added, i.rows_changed
), emptied as (
  delete from import_changes b using undone u
  where b.import_id = u.import_id
), logged as (
  insert into catalogue_changes (changed, data, actor, request_id)
  select u.import_kind, jsonb_build_object('import_id', u.import_id, 'undone', true, 'rows_added', u.rows_added,
    'rows_changed', u.rows_changed), :actor, :request_id
  from undone u
)
select v.recorded, v.possible as undone, (select count(*) from differing) as changed_since,
  (select coalesce(jsonb_agg(d.shown), '[]') from (select shown from differing limit :shown_max) d) as changed_rows
from verdict v
