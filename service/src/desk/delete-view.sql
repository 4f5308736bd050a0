delete from operator_views
where view_id = :view_id and (owner = :owner or (shared and :administers))
returning view_id as removed_view_id
