view_id, view_name, filters, shared, o.operator_name as owner_name, owner = :owner as own,
  owner = :owner or (shared and :administers::boolean) as changeable, changed_at
