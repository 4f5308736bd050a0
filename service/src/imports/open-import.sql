-- An import that is about to be received. Until then it changes nothing, and it leaves nothing behind when it is cut off.
insert into imports (import_kind, mode, actor, request_id)
values (:import_kind, :mode, :actor, :request_id)
returning import_id
