-- An import that is about to be received. Until it is complete it changes nothing and leaves nothing behind when
-- interrupted.
insert into imports (import_kind, mode, dry_run, file_name, actor, request_id)
values (:import_kind, :mode, :dry_run, :file_name, :actor, :request_id)
returning import_id
