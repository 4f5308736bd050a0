-- An import, with the figures of its batches as long as they exist.
select
  -- include import-columns.part.sql
where i.import_id = :import_id
