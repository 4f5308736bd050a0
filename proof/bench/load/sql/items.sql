-- Words of a title have every frequency: "for" is in all titles, "original" in half, a product group in a tenth, and a
-- model in twenty, independent of the number of items.
insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale)
select n, d.product_id, 1 + pg_temp.pick(n, 3, 200),
  chr(65 + pg_temp.pick(n, 4, 26)) || chr(65 + pg_temp.pick(n, 5, 26)) || '-' || lpad(n::text, 7, '0'),
  digits || (10 - check_sum % 10) % 10,
  d.product_name || case when n % 2 = 0 then ' original' else '' end || ' for ' ||
  (array['Astra', 'Boreal', 'Cordo', 'Dorado', 'Estrel', 'Fjord', 'Garda', 'Helio'])[1 + pg_temp.pick(n, 6, 8)] ||
  ' m' || lpad((n / 20)::text, 6, '0') || ' ' ||
  (10 + pg_temp.pick(n, 7, 490)) || 'mm',
  pg_temp.pick(n, 8, 50) > 0
from products d
cross join lateral (values (product_id * 2 - 1), (product_id * 2)) as i (n)
cross join lateral (select '400' || lpad(n::text, 9, '0') as digits) e
cross join lateral ( -- The check digit of an EAN-13 weighs every second digit three times.
  select sum(substr(digits, place, 1)::integer * case place % 2 when 0 then 3 else 1 end) as check_sum
  from generate_series(1, 12) place
) c
where d.product_id between (:from + 1) / 2 and (:to + 1) / 2 and n between :from and :to
