select nextval(pg_get_serial_sequence('operator_keys', 'key_id')) as key_id
