select -- include session-check-columns.part.sql
from operator_sessions s
join shown_operators o on o.operator_id = s.operator_id
left join operator_keys k on k.key_id = s.key_id
where s.session_id = :key_id
