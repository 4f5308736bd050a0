import { clientEventTypes } from '../events/event-types.ts'

const all = Object.entries(clientEventTypes)

/** `docs/reference/event-types.md`. */
export function renderEventTypesPage(): string {
  return `# Event types

Generated from \`apps/service/src/events/event-types.ts\` by \`npm run generate\`. To read events, see [react to changes](../how-to/integrator/react-to-changes.md).

An event is \`{event_number, event_type, event_datetime, order_id, data}\`. New types will be added: ignore types that you do not know.

${eventTypeTable()}

${dataExamples()}
`
}

/** All event types, one row each. */
function eventTypeTable(): string {
  const rows = all.map(([type, { meaning, carries }]) => `| \`${type}\` | ${meaning} | ${carries} |`)
  return ['| event_type | when | data |', '|---|---|---|', ...rows].join('\n')
}

/** An example of the `data` of each shape, under the first type that has it. */
function dataExamples(): string {
  const shapeOf = (example: object): string => Object.keys(example).join()
  const shapes = Map.groupBy(all, ([, { example }]) => shapeOf(example))
  return [...shapes.values()]
    .map(([first, ...others]) => {
      const [type, { example }] = first as (typeof all)[number]
      const like =
        others.length === 0 ? '' : `The same fields: ${others.map(([other]) => `\`${other}\``).join(', ')}.\n\n`
      return `## ${type}\n\n${like}\`\`\`json\n${printed(example)}\n\`\`\``
    })
    .join('\n\n')
}

/** On one line where it fits. */
function printed(example: object): string {
  const line = JSON.stringify(example)
  return line.length <= 120 ? line : JSON.stringify(example, null, 2)
}
