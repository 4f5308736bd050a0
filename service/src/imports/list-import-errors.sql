select line, place, code, details from import_errors
where import_id = :import_id and (line, place) > (:after_line, :after_place)
order by line, place
limit :page_size
