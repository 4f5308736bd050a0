-- Newest first.
select
  -- include import-columns.part.sql
where i.import_id < :before_id
order by i.import_id desc
limit :page_size
