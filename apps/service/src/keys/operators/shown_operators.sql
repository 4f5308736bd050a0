-- Operators as they are shown; an erased one has no name.
create or replace view shown_operators as
select o.operator_id, coalesce(o.operator_name, 'Erased operator') as operator_name, o.issuer, o.subject, o.created_at,
  o.erased_at
from operators o;
