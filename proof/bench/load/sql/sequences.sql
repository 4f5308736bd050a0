-- The next rows that the service inserts must get unused ids.
do $$
declare
  identity record;
begin
  for identity in
    select c.table_name, c.column_name from information_schema.columns c
    where c.table_schema = 'public' and c.is_identity = 'YES'
  loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 1)) from %I',
      identity.table_name, identity.column_name, identity.column_name, identity.table_name);
  end loop;
  perform setval('order_numbers', max(order_number)) from orders;
end $$
