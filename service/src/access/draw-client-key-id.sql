select nextval(pg_get_serial_sequence('api_keys', 'key_id')) as key_id
