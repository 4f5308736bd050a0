import type { OperatorCases } from '../testing/cases.ts'
import { anyId, anyText, at } from '../testing/mask-volatile.ts'
import type { OperatorWorld } from '../testing/operators.ts'
import { fresh, reserveDiscs } from '../testing/stock.ts'
import { unknownId } from '../testing/world.ts'

const body = {
  item_vendor_code: 'NV-17',
  item_barcode: '2000000000176',
  item_title: 'Wiper blade 600 mm',
  brand_name: 'Filterwerk',
  product_id: 12,
}

const done = (import_kind: string, figures: object) => ({
  import_id: anyId,
  import_kind,
  mode: 'all',
  import_key: null,
  file_name: null,
  file_format: { encoding: 'utf-8' },
  dry_run: false,
  import_state: 'done',
  rows: 1,
  rows_done: 1,
  rows_added: 0,
  rows_changed: 0,
  rows_unchanged: 0,
  rows_refused: 0,
  created_at: at,
  finished_at: at,
  actor: anyText,
  undoable: true,
  ...figures,
})

/** The cases of one kind of import, with a row that it accepts and a row that it refuses. */
function importCases(
  kind: string,
  good: () => object,
  figures: object,
  bad: object,
  error: { code: 'item_not_found' | 'field_missing' | 'stock_below_reserved'; details: Record<string, unknown> },
): OperatorCases {
  const path = `/operator/v1/imports/${kind}/`
  const send = ({ operators, service }: OperatorWorld, query = ''): Promise<unknown> =>
    service.request('POST', `${path}${query}`, {
      key: operators.keys.admin,
      body: JSON.stringify(good()),
      headers: { 'content-type': 'application/x-ndjson' },
    })
  return {
    success: async (world) => {
      await send(world) // Nothing was there, perhaps.
      return { path, rows: [good()], data: done(kind, figures) }
    },
    refusals: {
      import_refused: async (world) => {
        await reserveDiscs(world)
        return {
          path,
          rows: [good(), bad],
          details: { import_id: anyId, rows: 2, rows_refused: 1 },
          more: [{ code: error.code, details: { line: 2, ...error.details } }],
        }
      },
      import_key_used: async (world) => {
        const import_key = `key-${fresh()}`
        await send(world, `?import_key=${import_key}`)
        return {
          path: `${path}?import_key=${import_key}`,
          rows: [good(), good()],
          details: { import_key, import_id: anyId },
        }
      },
      import_too_large: async () => ({
        path,
        rows: Array.from({ length: 20_001 }, () => ({})),
        details: { rows_max: 20_000 },
      }),
    },
  }
}

async function refusedImport({ operators, service }: OperatorWorld): Promise<number> {
  const answer = await service.request('POST', '/operator/v1/imports/prices/', {
    key: operators.keys.admin,
    body: `${JSON.stringify({ price_list_id: 1, item_id: unknownId, price: 1 })}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return answer.body.errors[0]?.details?.['import_id'] as number
}

const refused = done('prices', { import_state: 'refused', rows_refused: 1, undoable: false })

/** Imports one price; returns the import and the price. */
async function importedPrice({ operators, service }: OperatorWorld): Promise<{ import_id: number; price: number }> {
  const price = fresh() / 100
  const answer = await service.request('POST', '/operator/v1/imports/prices/', {
    key: operators.keys.admin,
    body: `${JSON.stringify({ price_list_id: 3, item_id: 1, price })}\n`,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return { import_id: answer.body.data.import_id as number, price }
}

const presentPrice = async ({ service }: OperatorWorld): Promise<number> =>
  Number((await service.sql('select price::float8 from prices where price_list_id = 3 and item_id = 1'))[0]?.['price'])

const unknownImport = (action: string) => async () => ({
  path: `/operator/v1/imports/${unknownId}/${action}/`,
  details: { import_id: unknownId },
})

export const importOperatorCases: Record<string, OperatorCases> = {
  'POST /operator/v1/imports/items/': importCases(
    'items',
    () => ({ item_id: fresh(), ...body }),
    { rows_added: 1 },
    { item_id: 1, ...body, product_id: undefined },
    { code: 'field_missing', details: {} },
  ),
  'POST /operator/v1/imports/prices/': importCases(
    'prices',
    () => ({ price_list_id: 3, item_id: 1, price: fresh() / 100 }),
    { rows_changed: 1 },
    { price_list_id: 1, item_id: unknownId, price: 1 },
    { code: 'item_not_found', details: { item_id: unknownId } },
  ),
  'POST /operator/v1/imports/stock-levels/': importCases(
    'stock-levels',
    () => ({ stock_id: 3, item_id: 1, on_hand: fresh() }),
    { rows_changed: 1 },
    { stock_id: 2, item_id: 1, on_hand: 1 },
    { code: 'stock_below_reserved', details: { stock_id: 2, item_id: 1, on_hand: 1, reserved: 2 } },
  ),
  'POST /operator/v1/imports/arrivals/': importCases(
    'arrivals',
    () => ({ stock_id: 3, item_id: 1, arrivals: [{ date: '2031-11-24', quantity: fresh() }] }),
    { rows_changed: 1 },
    { stock_id: 3, item_id: unknownId, arrivals: [] },
    { code: 'item_not_found', details: { item_id: unknownId } },
  ),
  'POST /operator/v1/imports/substitutes/': importCases(
    'substitutes',
    () => ({ item_id: 1, substitutes: fresh() % 2 === 0 ? [2] : [4] }),
    { rows_changed: 1 },
    { item_id: 2, replaced_by: unknownId },
    { code: 'item_not_found', details: { item_id: unknownId } },
  ),
  'GET /operator/v1/imports/': {
    success: async (world) => {
      const import_id = await refusedImport(world)
      return { path: '/operator/v1/imports/?limit=1', data: [{ ...refused, import_id }] }
    },
    refusals: {},
  },
  'GET /operator/v1/imports/{import_id}/': {
    success: async (world) => {
      const import_id = await refusedImport(world)
      return { path: `/operator/v1/imports/${import_id}/?wait=1`, data: { ...refused, import_id } }
    },
    refusals: {
      import_not_found: async () => ({
        path: `/operator/v1/imports/${unknownId}/`,
        details: { import_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/imports/{import_id}/errors/': {
    success: async (world) => ({
      path: `/operator/v1/imports/${await refusedImport(world)}/errors/`,
      data: [
        {
          line: 1,
          code: 'item_not_found',
          message: `No such item: ${unknownId}.`,
          details: { item_id: unknownId },
        },
      ],
    }),
    refusals: {},
  },
  'GET /operator/v1/imports/{import_id}/changes/': {
    success: async (world) => {
      const before = await presentPrice(world)
      const { import_id, price } = await importedPrice(world)
      return {
        path: `/operator/v1/imports/${import_id}/changes/`,
        data: [
          {
            item_id: 1,
            item_vendor_code: 'BN-280-V',
            item_title: 'Brake disc front 280 mm vented',
            price_list_id: 3,
            stock_id: null,
            change: 'changed',
            before: { price: before },
            after: { price },
          },
        ],
      }
    },
    refusals: {},
  },
  'POST /operator/v1/imports/{import_id}/stop/': {
    success: async ({ service }) => {
      const [made] = await service.sql(
        `insert into imports (import_kind, mode, rows, actor, request_id)
         values ('prices', 'all', 1, 'somebody', '') returning import_id::int`,
      )
      return {
        path: `/operator/v1/imports/${String(made?.['import_id'])}/stop/?wait=0`,
        data: done('prices', {
          import_state: 'receiving',
          finished_at: null,
          file_format: null,
          rows_done: 0,
          undoable: false,
        }),
      }
    },
    refusals: {
      import_not_found: unknownImport('stop'),
      import_finished: async (world) => {
        const { import_id } = await importedPrice(world)
        return { path: `/operator/v1/imports/${import_id}/stop/`, details: { import_id, import_state: 'done' } }
      },
    },
  },
  'POST /operator/v1/imports/{import_id}/undo/': {
    success: async (world) => {
      const { import_id } = await importedPrice(world)
      return {
        path: `/operator/v1/imports/${import_id}/undo/`,
        data: done('prices', { import_id, import_state: 'undone', rows_changed: 1, undoable: false }),
      }
    },
    refusals: {
      import_not_found: unknownImport('undo'),
      import_not_undoable: async (world) => {
        const import_id = await refusedImport(world)
        return {
          path: `/operator/v1/imports/${import_id}/undo/`,
          details: { import_id, reason: 'its state is refused' },
        }
      },
      import_changed_since: async (world) => {
        const { import_id, price: imported } = await importedPrice(world)
        const { price: present } = await importedPrice(world)
        return {
          path: `/operator/v1/imports/${import_id}/undo/`,
          details: {
            import_id,
            changed_since: 1,
            rows: [{ price_list_id: 3, item_id: 1, imported, present }],
          },
        }
      },
    },
  },
}
