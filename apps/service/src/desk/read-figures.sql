select
  (
    select coalesce(jsonb_agg(jsonb_build_object('date', day, 'placed', placed, 'shipped', shipped,
      'ship_hours', ship_hours) order by day), '[]')
    from daily_figures
    where day > current_date - :days::integer
  ) as days,
  (
    select coalesce(jsonb_agg(jsonb_build_object('state_id', state_id, 'count', orders, 'total', total, 'more', more)
      order by array_position(:states::text[], state_id)), '[]')
    from open_figures
    where state_id = any(:states)
  ) as open,
  (select max(counted_at) from daily_figures) as counted_at
