select s.stock_id, s.stock_name
from client_stocks a
join stocks s using (stock_id)
where a.client_id = :client_id
order by a.preference, s.stock_id
