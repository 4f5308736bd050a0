select -- columns k
from api_keys k
where k.client_id = :client_id and k.key_id > :after_id
order by k.key_id
limit :page_size
