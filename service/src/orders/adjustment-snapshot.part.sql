-- What an event keeps of an adjustment (a): all that may change later. What never changes is read from it: events/event-joins.part.sql.
jsonb_build_object('adjustment_id', a.adjustment_id, 'adjustment_status', a.adjustment_status,
  'adjustment_canceled_message', a.adjustment_canceled_message, 'difference', a.difference)
