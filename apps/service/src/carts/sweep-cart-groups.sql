-- Deletes the empty groups among the next ones: two concurrent removals of the last two lines leave an empty group.
-- Returns one row with the last group that was examined, if there was any.
with page as materialized (
  select client_id, cart_group_id, version from cart_groups
  where (client_id, cart_group_id) > (:after_client, :after_group)
  order by client_id, cart_group_id
  limit 100
), empty as materialized ( -- With "limit 1" each group looks up its lines; otherwise all lines may be read.
  select p.client_id, p.cart_group_id, p.version
  from page p
  left join lateral (
    select l.cart_item_id from cart_items l
    where l.client_id = p.client_id and l.cart_group_id = p.cart_group_id
    limit 1
  ) l on true
  where l.cart_item_id is null
), held as (               -- With the version seen, nothing was added since. A locked group is skipped.
  select g.client_id, g.cart_group_id
  from empty e
  join cart_groups g on g.client_id = e.client_id and g.cart_group_id = e.cart_group_id
  where g.version = e.version
  for update of g skip locked
), swept as (
  delete from cart_groups g
  using held h
  where g.client_id = h.client_id and g.cart_group_id = h.cart_group_id
  returning g.cart_group_id
)
select client_id, cart_group_id, (select count(*) from swept) as swept
from page
order by client_id desc, cart_group_id desc
limit 1
