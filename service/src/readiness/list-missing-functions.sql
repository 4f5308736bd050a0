-- The files of functions that this version needs and the database lacks. What a newer version has changed does no harm.
select n.file
from unnest(:files::text[]) n (file)
where not exists (select from installed_functions f where f.file = n.file)
order by n.file
