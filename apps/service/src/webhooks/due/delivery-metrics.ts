import { Counter, Gauge, Histogram } from 'prom-client'

export const lagSeconds = new Histogram({
  name: 'parts_webhook_delivery_lag_seconds',
  help: 'Time from an event to the response that accepted it.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30, 300, 3_600],
})
export const firstAttemptDelay = new Histogram({
  name: 'parts_webhook_first_attempt_delay_seconds',
  help: 'Time from an event to the first attempt to deliver it, without the time that its endpoint took for earlier events, failed or was paused.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300], // 30 is the objective.
})
export const deliveries = new Counter({
  name: 'parts_webhook_deliveries_total',
  help: 'Attempts to deliver an event, by outcome: delivered, refused (a response that is not 2xx), unanswered.',
  labelNames: ['outcome'],
})
export const endpointsInFlight = new Gauge({
  name: 'parts_webhook_endpoints_in_flight',
  help: 'Endpoints that this process is delivering to.',
})
export const endpointsWaiting = new Gauge({
  name: 'parts_webhook_endpoints_waiting',
  help: 'Endpoints with events due that wait for a free slot in this process.',
})
export const lackingEvents = new Gauge({
  name: 'parts_webhook_lacking_events',
  help: 'Events not yet delivered, without those of paused endpoints; updated after each scan of all endpoints.',
})
export const pausedEndpoints = new Counter({
  name: 'parts_webhook_paused_total',
  help: 'Endpoints that were paused because they answered 410 or failed for three days.',
})
