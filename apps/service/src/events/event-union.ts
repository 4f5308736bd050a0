/**
 * Events as the API reference shows them: a schema for each type, with its `data`, and the union of them, told apart by
 * `event_type`. Responses are serialised by the plain schema, which does not have to choose.
 */
import type { TSchema } from 'typebox'
import { Event, exampleEvent } from './event.ts'
import { clientEventTypes, type EventType } from './event-types.ts'
import { exampleFeedEvent, FeedEvent } from './feed-event.ts'

/** An event as one reader sees it: Event or FeedEvent. */
interface PlainEvent {
  /** The union gets the same name, and so replaces it in the reference. */
  readonly name: string
  readonly example: object
  readonly dataOf: (type: EventType) => TSchema
  readonly schema: { readonly properties: object; readonly required: readonly string[] }
}

export const clientEventUnion = (): object[] =>
  eventUnion({ name: 'Event', schema: Event, example: exampleEvent, dataOf: ({ data }) => data })

export const operatorEventUnion = (): object[] =>
  eventUnion({
    name: 'FeedEvent',
    schema: FeedEvent,
    example: exampleFeedEvent,
    dataOf: ({ data, operatorData = data }) => operatorData,
  })

function eventUnion({ name, schema: { properties, required }, example, dataOf }: PlainEvent): object[] {
  const variants = Object.entries(clientEventTypes).map(([event_type, type], i) => ({
    $id: `${pascal(event_type)}${name}`,
    type: 'object',
    description: type.meaning,
    properties: {
      ...properties,
      event_type: { const: event_type, description: 'What happened.' },
      data: dataOf(type),
    },
    required,
    examples: [{ ...example, event_number: i + 1, event_type, order_id: orderOf(type.example), data: type.example }],
  }))
  const mapping = variants.map(({ $id, properties }) => [properties.event_type.const, `#/components/schemas/${$id}`])
  const union = {
    $id: name,
    description: 'New types may be added: ignore those that you do not know.',
    oneOf: variants.map(({ $id }) => ({ $ref: `${$id}#` })),
    discriminator: { propertyName: 'event_type', mapping: Object.fromEntries(mapping) as Record<string, string> },
    examples: variants.flatMap(({ examples }) => examples),
  }
  return [...variants, union]
}

const pascal = (event_type: string): string =>
  event_type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

const orderOf = (data: Readonly<Record<string, unknown>>): unknown =>
  data['order_id'] ?? data['adjustment_order_id'] ?? null
