select -- include session-check-columns.part.sql
from operator_sessions s
left join operator_keys k on k.key_id = s.key_id
where s.session_id = :key_id
