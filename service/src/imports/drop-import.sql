-- Forgets an import that was not received as a whole, or is a repetition: it has changed nothing.
delete from imports where import_id = :import_id and import_state = 'receiving'
returning import_id
