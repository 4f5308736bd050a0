import { clientEventTypes } from '../events/event-types.ts'

/** The types of events as Markdown, for the reference. */
export function eventTypeTable(): string {
  const rows = Object.entries(clientEventTypes).map(
    ([type, { meaning, carries }]) => `| \`${type}\` | ${meaning} | ${carries} |`,
  )
  return ['| event_type | when | data |', '|---|---|---|', ...rows].join('\n')
}

/** Each type with an example of its data, for `docs/reference/event-types.md`. */
export function eventTypeChapters(): string {
  return Object.entries(clientEventTypes)
    .map(
      ([type, { meaning, carries, example }]) =>
        `## ${type}\n\n${meaning}\n\n\`data\`: ${carries}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    )
    .join('\n\n')
}
