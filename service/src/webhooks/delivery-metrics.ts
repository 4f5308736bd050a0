import { Counter, Gauge, Histogram } from 'prom-client'

export const lagSeconds = new Histogram({
  name: 'parts_webhook_delivery_lag_seconds',
  help: 'Time from an event to the answer with which an endpoint took it.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30, 300, 3_600],
})
export const deliveries = new Counter({
  name: 'parts_webhook_deliveries_total',
  help: 'Attempts to deliver an event, by outcome: delivered, refused (an answer that is not 2xx), unanswered.',
  labelNames: ['outcome'],
})
export const inFlight = new Gauge({
  name: 'parts_webhook_endpoints_in_flight',
  help: 'Endpoints that this process is delivering to.',
})
export const waiting = new Gauge({
  name: 'parts_webhook_endpoints_waiting',
  help: 'Endpoints that this process knows to have something due, and has not come to yet.',
})
export const lackingEvents = new Gauge({
  name: 'parts_webhook_lacking_events',
  help: 'Events that endpoints lack, paused ones left out; counted on each round over all endpoints.',
})
export const pausedEndpoints = new Counter({
  name: 'parts_webhook_paused_total',
  help: 'Endpoints that were paused because they are gone or have failed for three days.',
})
