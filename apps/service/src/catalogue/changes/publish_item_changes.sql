-- Gives a batch of changes the next position, so that readers find them: what was written to changed_goods, and the
-- goods of the orders whose events came since the last batch. Returns how many changes and events these were; 0 if
-- there are none, or if another worker is at it. One worker at a time gives positions, and what it gives a position is
-- committed: all changes up to a position that a reader has seen were visible to that reader.
create or replace function publish_item_changes(events_max integer, changes_max integer, out published bigint)
  language plpgsql as $$
declare
  feed item_feed;
begin
  select * into feed from item_feed for no key update skip locked;
  if not found then
    published := 0;
    return;
  end if;
  update item_feed f set generation = f.generation + 1, event_transaction = e.expired_transaction,
    event_client = e.expired_client, event_number = e.expired_number
  from event_feed e       -- Events that expired unread may have been about any goods.
  where (e.expired_transaction, e.expired_client, e.expired_number)
    > (f.event_transaction, f.event_client, f.event_number);
  select * into feed from item_feed;

  with page as materialized (
    select e.transaction_id, e.client_id, e.event_number, e.order_id from events e
    where (e.transaction_id, e.client_id, e.event_number)
        > (feed.event_transaction, feed.event_client, feed.event_number)
      and e.transaction_id < events_horizon()
    order by e.transaction_id, e.client_id, e.event_number
    limit events_max
  ), taken as (
    delete from changed_goods g
    where g.change_id = any(array(select n.change_id from changed_goods n order by n.change_id limit changes_max))
    returning g.kind, g.of_id, g.item_id
  ), ordered as (
    select 's'::"char", o.stock_id, i.item_id
    from (select distinct p.client_id, p.order_id from page p where p.order_id is not null) p
    join orders o on o.client_id = p.client_id and o.order_id = p.order_id
    join order_items i on i.client_id = p.client_id and i.order_id = p.order_id
    where not o.virtual
  ), numbered as (
    insert into item_changes as c (kind, of_id, item_id, position)
    select g.kind, g.of_id, g.item_id, feed.position + 1
    from (select kind, of_id, item_id from taken union select * from ordered) g (kind, of_id, item_id)
    order by g.kind, g.of_id, g.item_id
    on conflict (kind, of_id, item_id) do update set position = excluded.position
  ), moved as (
    update item_feed f set position = f.position + 1, event_transaction = l.transaction_id,
      event_client = l.client_id, event_number = l.event_number
    from (
      select transaction_id, client_id, event_number from page
      union all select feed.event_transaction, feed.event_client, feed.event_number
      order by transaction_id desc, client_id desc, event_number desc
      limit 1
    ) l
    where exists (select from page) or exists (select from taken)
  )
  select (select count(*) from page) + (select count(*) from taken) into published;
end $$;
