-- Whether everything that the import wrote is recorded and still there.
select m.import_id, (select count(*) from change) = m.written as recorded,
  (select count(*) from change) = m.written and not exists (select 1 from differing) as possible
from import m
