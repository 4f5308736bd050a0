-- The statement that places an order draws a number below 0 for its event when the client's row, once it is locked, has
-- been blocked: this refuses the whole statement.
alter table clients add constraint client_not_blocked check (event_number >= 0) not valid;
