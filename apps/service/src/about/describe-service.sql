-- The caller's client and contact, when its key expires, and the time.
select c.client_name, p.contact_name, c.unique_references, k.expires_at, now() as now
from clients c
join contacts p on p.client_id = c.client_id and p.contact_id = :contact_id
join api_keys k on k.client_id = c.client_id and k.key_id = :key_id
where c.client_id = :client_id
