contract_id, contract_name, contract_default, contract_service, contract_limit, exposure, price_list_id,
  discount_percent, tax_mode, tax_percent, block_reason
