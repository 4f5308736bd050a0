-- The order that was made of a cart group. Its row is locked, so that under synchronous replication
-- the repeated answer cannot run ahead of the replica.
select order_id, cart_group_fingerprint = :lines_digest || :prices_digest
  and (zip, country_code, region_code, city, street, home) = (:zip, :country_code, :region_code, :city, :street, :home)
  and room is not distinct from :room as same
from orders
where client_id = :client_id and cart_group_id = :cart_group_id
for update
