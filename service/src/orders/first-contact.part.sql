-- The client's first contact who is not erased (see erase-contact.ts); if all are, the first.
select m.contact_id from contacts m
where m.client_id = :client_id
order by m.contact_name = 'Erased contact', m.contact_id
limit 1
