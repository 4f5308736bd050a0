-- Generated from adjustment.ts by npm run generate.
-- What an event stores of an adjustment (a): its id and the fields that may change later.
jsonb_build_object('adjustment_id', a.adjustment_id, 'adjustment_status', a.adjustment_status,
  'adjustment_canceled_message', a.adjustment_canceled_message, 'difference', a.difference)
