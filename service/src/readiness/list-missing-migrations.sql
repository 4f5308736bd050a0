-- The migrations that this version needs and the database lacks. Those of newer versions do no harm.
select n.name
from unnest(:names::text[]) n (name)
where not exists (select from migrations m where m.name = n.name)
order by n.name
