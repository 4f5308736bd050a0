-- Whether the database has been migrated at all.
select to_regclass('migrations') is not null as found
