insert into products (product_id, product_name)
select n,
  (array['Brake', 'Engine', 'Clutch', 'Steering', 'Cooling', 'Exhaust', 'Lighting', 'Suspension', 'Fuel', 'Body']
  )[1 + pg_temp.pick(n, 1, 10)] || ' ' ||
  (array['disc', 'pad set', 'hose', 'pump', 'sensor', 'bearing', 'gasket', 'filter', 'bracket', 'cable', 'valve',
    'spring', 'seal', 'bolt kit', 'housing', 'lever'])[1 + pg_temp.pick(n, 2, 16)] || ' ' || n
from generate_series(:from, :to) n
