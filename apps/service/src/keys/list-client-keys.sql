select -- include client-key-columns.part.sql
from api_keys
where client_id = :client_id and key_id > :after_id
order by key_id
limit :page_size
