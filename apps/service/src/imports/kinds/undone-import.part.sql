select i.import_id, i.rows_added + i.rows_changed as written from imports i
where i.import_id = :import_id and i.import_state in ('done', 'stopped') and not i.dry_run
  and i.rows_added + i.rows_changed <= :rows_max::bigint
  and i.finished_at > now() - make_interval(days => :undo_days::integer)
for update of i
