-- The import is here as a whole. If its key has been used already, imports_one_a_key refuses it.
update imports set import_state = 'waiting', import_key = :import_key, digest = :digest, updated_at = now()
where import_id = :import_id and import_state = 'receiving'
returning import_id
