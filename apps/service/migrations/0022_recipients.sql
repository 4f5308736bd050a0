-- For whom an order is: shown with its address, and erased with it (order-input.ts).
alter table orders add column recipient text, add column company text, add column phone text, add column email text;
