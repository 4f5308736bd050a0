-- Explains why a contract could not be changed: the contract as it is, and the requested price list.
select c.contract_default, c.contract_limit, r.currency_code, n.currency_code as other_currency_code
from contracts c
join price_lists r on r.price_list_id = c.price_list_id
left join price_lists n on n.price_list_id = :price_list_id
where c.client_id = :client_id and c.contract_id = :contract_id
