-- The columns of an order (o), its stock (s), contract (c), client (k) and contact (n): `operatorOrderColumns` without
-- the history and the lines, which each statement selects in its own way. Shipments and returns are those before it.
-- include order-columns.part.sql
-- include order-details.part.sql
  o.client_id, k.client_name, n.contact_name, n.contact_email, o.hold_reason,
  (
    -- include order-notes.part.sql
  ) as notes,
  (
    -- include order-shipments.part.sql
  ) as shipped_lines,
  (
    -- include order-returns.part.sql
  ) as returned_lines,
