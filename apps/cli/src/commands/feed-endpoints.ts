import type { FeedDelivery, FeedEndpoint } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

const secretShownOnce =
  'The secret is shown only once. Standard output contains only the secret, so it can be redirected to a file.'
const settings = {
  types: { value: 'LIST', meaning: 'comma-separated event types, or all (default: all)' },
  cursor: { value: 'CURSOR', meaning: 'the position in the feed to continue from, as `feed list` shows it' },
} as const

export const feedEndpointCommands: readonly Command[] = [
  command({
    name: 'feed list',
    summary: 'list the endpoints to which the feed is pushed',
    options: listOptions,
    examples: ['feed list', "feed list --json | jq 'select(.active | not)'"],
    run: (call) =>
      showList(call, {
        read: async () => ({ data: await call.api().listFeedEndpoints(), next_cursor: null }),
        columns,
        none: 'The feed has no endpoints.',
      }),
  }),
  command({
    name: 'feed create',
    summary: 'push the events of all clients to a URL',
    arguments: ['URL'],
    options: settings,
    notes: ['It begins with the events that happen from now on, unless --cursor says where.', secretShownOnce],
    examples: ['feed create https://erp.example/parts/events > secret.txt'],
    run: async ({ arguments: [url = ''], options: { types, cursor }, output, api }) => {
      const created = await api().createFeedEndpoint({ url, event_types: typesIn(types), cursor })
      if (output.json) return output.data(created)
      output.note(`Created endpoint ${created.endpoint_id} of the feed. Its secret is not shown again:`)
      output.line(created.secret)
    },
  }),
  command({
    name: 'feed change',
    summary: 'change an endpoint of the feed, or replay',
    arguments: ['ENDPOINT_ID'],
    options: { to: { value: 'URL', meaning: 'send to this URL from now on' }, ...settings },
    examples: ['feed change 3 --to https://erp.example/v2/events', 'feed change 3 --types all'],
    run: async ({ arguments: [text], options: { to: url, types, cursor }, output, api }) => {
      const endpoint_id = idIn(text)
      if ((url ?? types ?? cursor) === undefined)
        throw wrongUse({ name: 'feed change' }, 'Give --to, --types or --cursor.')
      const changed = await api().changeFeedEndpoint({ endpoint_id, url, event_types: typesIn(types), cursor })
      if (output.json) return output.data(changed)
      output.line(`Changed endpoint ${endpoint_id} of the feed.`)
    },
  }),
  ...([true, false] as const).map((active) =>
    command({
      name: active ? 'feed resume' : 'feed pause',
      summary: active ? 'resume a paused endpoint of the feed' : 'pause an endpoint of the feed',
      arguments: ['ENDPOINT_ID'],
      notes: ['No event is lost while it is paused.'],
      examples: [active ? 'feed resume 3' : 'feed pause 3'],
      run: async ({ arguments: [text], output, api }) => {
        const endpoint_id = idIn(text)
        const changed = await api().changeFeedEndpoint({ endpoint_id, active })
        if (output.json) return output.data(changed)
        output.line(`${active ? 'Resumed' : 'Paused'} endpoint ${endpoint_id} of the feed.`)
      },
    }),
  ),
  command({
    name: 'feed rotate',
    summary: 'give an endpoint of the feed a new secret',
    arguments: ['ENDPOINT_ID'],
    notes: ['For 24 hours messages are signed with both secrets.', secretShownOnce],
    examples: ['feed rotate 3 > secret.txt'],
    run: async ({ arguments: [text], output, api }) => {
      const endpoint_id = idIn(text)
      const rotated = await api().rotateFeedEndpointSecret({ endpoint_id })
      if (output.json) return output.data(rotated)
      output.note(`The new secret of endpoint ${endpoint_id} is not shown again:`)
      output.line(rotated.secret)
    },
  }),
  command({
    name: 'feed test',
    summary: 'send a test message to an endpoint of the feed',
    arguments: ['ENDPOINT_ID'],
    notes: ['`parts feed log` shows the result a second or two later.'],
    examples: ['feed test 3'],
    run: async ({ arguments: [text], output, api }) => {
      const requested = await api().testFeedEndpoint({ endpoint_id: idIn(text) })
      if (output.json) return output.data(requested)
      output.line(`Requested a test of endpoint ${requested.endpoint_id} of the feed.`)
    },
  }),
  command({
    name: 'feed log',
    summary: 'list the deliveries to an endpoint of the feed',
    arguments: ['ENDPOINT_ID'],
    options: listOptions,
    examples: ['feed log 3'],
    run: (call) => {
      const endpoint_id = idIn(call.arguments[0])
      return showList(call, {
        read: (page) => call.api().listFeedDeliveries({ endpoint_id, ...page }),
        columns: logColumns,
        none: `Nothing was sent to endpoint ${endpoint_id} in the last 30 days.`,
      })
    },
  }),
  command({
    name: 'feed delete',
    summary: 'delete an endpoint of the feed',
    arguments: ['ENDPOINT_ID'],
    examples: ['feed delete 3'],
    run: async ({ arguments: [text], output, api }) => {
      const deleted = await api().deleteFeedEndpoint({ endpoint_id: idIn(text) })
      if (output.json) return output.data(deleted)
      output.line(`Deleted endpoint ${deleted.removed_endpoint_id} of the feed.`)
    },
  }),
]

const idIn = (text = ''): number => wholeNumber(text, 'An endpoint id')

/** The service refuses other words. */
const typesIn = (types: string | undefined): FeedEndpoint['event_types'] | undefined =>
  types === undefined ? undefined : types === 'all' ? [] : (types.split(',') as FeedEndpoint['event_types'])

const columns: readonly Column<FeedEndpoint>[] = [
  { title: 'ENDPOINT', of: ({ endpoint_id }) => endpoint_id, whole: true },
  { title: 'URL', of: ({ url }) => url },
  { title: 'TYPES', of: ({ event_types }) => (event_types.length === 0 ? 'all' : event_types.join(' ')) },
  { title: 'STATE', of: ({ paused_reason, attempts }) => paused_reason ?? (attempts > 0 ? 'retrying' : 'active') },
  { title: 'FAILURE', of: ({ last_failure }) => last_failure ?? '' },
  { title: 'CURSOR', of: ({ cursor }) => cursor, whole: true },
]

const logColumns: readonly Column<FeedDelivery>[] = [
  { title: 'WHEN', of: ({ attempted_at }) => attempted_at, whole: true },
  { title: 'EVENTS', of: ({ event_count }) => event_count, right: true, whole: true },
  { title: 'ATTEMPT', of: ({ attempt }) => attempt, right: true, whole: true },
  { title: 'RESULT', of: ({ status, error }) => status ?? error },
  { title: 'MS', of: ({ duration_ms }) => duration_ms, right: true, whole: true },
  { title: 'MESSAGE', of: ({ message_id }) => message_id, whole: true },
]
