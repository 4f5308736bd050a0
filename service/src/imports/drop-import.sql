-- Deletes an import that was not received completely or is a repetition: it has changed nothing.
delete from imports where import_id = :import_id and import_state = 'receiving'
returning import_id
