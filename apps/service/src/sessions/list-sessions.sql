select -- columns s
from operator_sessions s
where s.session_id < :before_id
order by s.session_id desc
limit :page_size
