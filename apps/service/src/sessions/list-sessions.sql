select -- include session-columns.part.sql
from operator_sessions s
join shown_operators o on o.operator_id = s.operator_id
where s.session_id < :before_id
order by s.session_id desc
limit :page_size
