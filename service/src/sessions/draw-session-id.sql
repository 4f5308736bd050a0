select nextval(pg_get_serial_sequence('operator_sessions', 'session_id')) as key_id
