select client_id, client_name from clients
where client_id > :after_id
order by client_id
limit :page_size
