select import_id, coalesce(digest, '') as digest from imports
where import_kind = :import_kind and import_key = :import_key
