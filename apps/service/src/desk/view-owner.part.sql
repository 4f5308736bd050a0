left join shown_operators o on o.operator_id = substring(v.owner from '^operator (\d+)$')::bigint
