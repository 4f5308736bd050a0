select client_id, client_name, block_reason from clients
where client_id > :after_id
order by client_id
limit :page_size
