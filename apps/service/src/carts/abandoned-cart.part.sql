-- Whether a cart (k) has been empty for long. One with a group left by two simultaneous removals waits until
-- sweep-cart-groups.sql has deleted the group: deleting it here would lock a group after its cart.
k.line_count = 0 and k.emptied_at < now() - make_interval(days => :empty_days_max)
    and not exists (select 1 from cart_groups g where g.client_id = k.client_id and g.cart_id = k.cart_id)
