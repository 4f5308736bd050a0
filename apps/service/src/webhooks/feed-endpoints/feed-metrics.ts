import { Counter } from 'prom-client'

export const feedMessages = new Counter({
  name: 'parts_feed_endpoint_messages_total',
  help: "Attempts to push a message to an endpoint of the operators' feed, by outcome: delivered, refused (a response that is not 2xx), unanswered.",
  labelNames: ['outcome'],
})
