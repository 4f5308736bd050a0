-- Adds a note to an order: an internal one for operators, or one in the history that the client reads.
-- The order's update time stays: the age of a cancellation request and the day of archiving go by it.
create or replace function add_note(
  order_id bigint, note text, internal boolean, notes_max bigint, history_max integer, actor text, request_id text,
  idempotency_key text, request_digest bytea, out refused json
) language plpgsql as $$
declare
  held orders;
  earlier json;
  note_count bigint;
begin
  select * into earlier, refused from operator_retry(actor, 'add-note', idempotency_key, request_digest);
  if earlier is not null or refused is not null then return; end if;

  select * into held from orders o where o.order_id = add_note.order_id for no key update;
  select count(*) into note_count from order_notes m where m.client_id = held.client_id and m.order_id = held.order_id;
  refused := case
    when held.order_id is null then refusal('order_not_found', json_build_object('order_id', order_id))
    when internal and note_count >= notes_max then
      refusal('order_notes_full', json_build_object('order_id', order_id, 'limit', notes_max))
    when not internal and held.history_count >= history_max then
      refusal('order_history_full', json_build_object('order_id', order_id, 'limit', history_max))
    end;
  if refused is not null then return; end if;

  if internal then
    insert into order_notes (client_id, order_id, note_author, note_text, request_id)
    values (held.client_id, held.order_id, actor, note, request_id);
  else
    update orders o set history_count = o.history_count + 1
    where o.client_id = held.client_id and o.order_id = held.order_id;
    insert into order_history (client_id, order_id, entry, "group", state_id, text, actor)
    values (held.client_id, held.order_id, held.history_count + 1, 'Note', held.order_state_id, note, actor);
    perform record_events(held.client_id, held.order_id, '{order.noted}', array['{}'::jsonb], actor, request_id);
  end if;
  perform keep_operator_answer(actor, 'add-note', idempotency_key, request_digest,
    json_build_object('order_id', order_id));
end $$;
