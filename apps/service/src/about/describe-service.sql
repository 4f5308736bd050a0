-- The caller's client and contact, when its key expires, and the time.
select n.client_name, c.contact_name, k.expires_at, now() as now
from clients n
join contacts c on c.client_id = n.client_id and c.contact_id = :contact_id
join api_keys k on k.client_id = n.client_id and k.key_id = :key_id
where n.client_id = :client_id
