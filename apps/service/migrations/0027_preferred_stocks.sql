-- The order in which a client's stocks are tried for rows that name none: the lowest first, then by id.
alter table client_stocks add column preference integer not null default 0;
