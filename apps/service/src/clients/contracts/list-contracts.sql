select c.contract_id, c.contract_name, c.contract_default, c.contract_service, c.contract_limit,
  r.currency_code, c.tax_mode, c.tax_percent, c.discount_percent,
  -- include ../limit-left.part.sql
from contracts c
join price_lists r on r.price_list_id = c.price_list_id
where c.client_id = :client_id
order by c.contract_id
