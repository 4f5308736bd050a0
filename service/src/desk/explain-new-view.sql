select count(*) as views, coalesce(bool_or(view_name = :view_name), false) as name_taken
from operator_views
where owner = :owner
