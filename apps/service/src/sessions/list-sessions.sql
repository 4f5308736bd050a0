select -- include session-columns.part.sql
from operator_sessions
where session_id < :before_id
order by session_id desc
limit :page_size
