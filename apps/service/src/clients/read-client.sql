-- A client with its contacts, contracts and stocks, each as one JSON array: a client has few of them, and this is
-- rarely read.
select k.client_id, k.client_name, k.unique_references, k.block_reason,
  coalesce((
    select jsonb_agg(jsonb_build_object('contact_id', p.contact_id, 'contact_name', p.contact_name,
      'contact_email', p.contact_email) order by p.contact_id)
    from contacts p
    where p.client_id = k.client_id
  ), '[]') as contacts,
  coalesce((
    select jsonb_agg(jsonb_build_object('contract_id', c.contract_id, 'contract_name', c.contract_name,
      'contract_default', c.contract_default, 'contract_service', c.contract_service,
      'contract_limit', c.contract_limit, 'exposure', c.exposure, 'price_list_id', c.price_list_id,
      'discount_percent', c.discount_percent, 'tax_mode', c.tax_mode, 'tax_percent', c.tax_percent,
      'block_reason', c.block_reason)
      order by c.contract_id)
    from contracts c
    where c.client_id = k.client_id
  ), '[]') as contracts,
  coalesce((
    select jsonb_agg(jsonb_build_object('stock_id', s.stock_id, 'stock_name', s.stock_name)
      order by a.preference, s.stock_id)
    from client_stocks a
    join stocks s on s.stock_id = a.stock_id
    where a.client_id = k.client_id
  ), '[]') as stocks, coalesce(k.metadata, '{}') as metadata
from clients k
where k.client_id = :client_id
