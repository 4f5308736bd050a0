-- Newest first.
select change_id, changed_at, changed, data, actor, request_id from catalogue_changes
where change_id < :before_id
order by change_id desc
limit :page_size
