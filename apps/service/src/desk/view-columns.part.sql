view_id, view_name, filters, shared, owner_name, owner = :owner as own,
  owner = :owner or (shared and :administers::boolean) as changeable, changed_at
