select contract_id, contract_name, contract_default, contract_service, contract_limit
from contracts
where client_id = :client_id
order by contract_id
