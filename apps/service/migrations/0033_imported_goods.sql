-- Files of expected arrivals, and of what replaces items.
alter table imports drop constraint imports_kind, add constraint imports_kind
  check (import_kind in ('items', 'prices', 'stock-levels', 'arrivals', 'substitutes'));
