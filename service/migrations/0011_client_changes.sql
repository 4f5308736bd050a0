-- version rises with every change of a client's name and stocks: whoever holds the client's row and finds the version it has read
-- knows that the stocks it has read are still the client's stocks.
alter table clients add column version integer not null default 1;
