import { clientEventTypes } from '../events/event-types.ts'

/** `docs/reference/event-types.md`. */
export function renderEventTypesPage(): string {
  return `# Event types

Generated from \`apps/service/src/events/event-types.ts\` by \`npm run generate\`. To read events, see [react-to-changes.md](../how-to/integrator/react-to-changes.md).

An event is \`{event_number, event_type, event_datetime, order_id, data}\`. New types will be added: ignore types that you do not know.

${eventTypeTable()}

${eventTypeSections()}
`
}

/** All event types, one row each. */
function eventTypeTable(): string {
  const rows = Object.entries(clientEventTypes).map(
    ([type, { meaning, carries }]) => `| \`${type}\` | ${meaning} | ${carries} |`,
  )
  return ['| event_type | when | data |', '|---|---|---|', ...rows].join('\n')
}

/** Each event type with an example of its data. */
function eventTypeSections(): string {
  return Object.entries(clientEventTypes)
    .map(
      ([type, { meaning, carries, example }]) =>
        `## ${type}\n\n${meaning}\n\n\`data\`: ${carries}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    )
    .join('\n\n')
}
