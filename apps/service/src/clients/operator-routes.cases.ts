import type { OperatorCases } from '../testing/cases.ts'
import { anyId } from '../testing/mask-volatile.ts'
import { withUsedKey } from '../testing/operators.ts'
import { order } from '../testing/orders.ts'
import { unknownId, type World } from '../testing/world.ts'

const terms = {
  contract_default: false,
  contract_service: false,
  contract_limit: 0,
  exposure: 0,
  price_list_id: 1,
  discount_percent: 0,
  tax_mode: 'included',
  tax_percent: 0,
  block_reason: null as string | null,
}

const newClient = {
  client_name: 'Autohaus Lindner',
  contact_name: 'Karl Lindner',
  contact_email: 'karl@lindner.example',
  contract_name: 'Supply contract',
  contract_limit: 25_000.5,
  price_list_id: 1,
  discount_percent: 2.5,
  tax_mode: 'added',
  tax_percent: 19,
  stock_ids: [1, 2],
  unique_references: true,
}

const clientPath = ({ me }: World): string => `/operator/v1/clients/${me.client_id}/`
const contactPath = ({ me }: World): string => `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/`
const contractPath = ({ me }: World, contract_id = me.contract_id): string =>
  `/operator/v1/clients/${me.client_id}/contracts/${contract_id}/`

const nothing = (path: (world: World) => string, known: string[]) => async (world: World) => ({
  path: path(world),
  json: {},
  details: { known },
})

/** A client that does not exist is refused before the other fields are checked. */
const noClient = (path: (world: World) => string, json?: object) => async (world: World) => ({
  path: path(world).replace(String(world.me.client_id), String(unknownId)),
  ...(json && { json }),
  details: { client_id: unknownId },
})

const unpaid = { reason: 'Payment is overdue.' }
const standard = { ...terms, contract_name: 'Standard', contract_default: true, tax_percent: 20 }

const noContract = (action: string, json?: object) => async (world: World) => ({
  path: `${contractPath(world, unknownId)}${action}/`,
  ...(json && { json }),
  details: { contract_id: unknownId },
})

export const clientOperatorCases: Record<string, OperatorCases> = {
  'POST /operator/v1/clients/{client_id}/block/': {
    success: async (world) => ({
      path: `${clientPath(world)}block/`,
      json: unpaid,
      data: { client_id: world.me.client_id, client_name: 'Garage Weber', block_reason: 'Payment is overdue.' },
    }),
    refusals: { client_not_found: noClient((world) => `${clientPath(world)}block/`, unpaid) },
  },
  'POST /operator/v1/clients/{client_id}/unblock/': {
    success: async (world) => {
      await world.operators.ok('POST', `${clientPath(world)}block/`, unpaid)
      return {
        path: `${clientPath(world)}unblock/`,
        data: { client_id: world.me.client_id, client_name: 'Garage Weber', block_reason: null },
      }
    },
    refusals: { client_not_found: noClient((world) => `${clientPath(world)}unblock/`) },
  },
  'POST /operator/v1/clients/{client_id}/contracts/{contract_id}/block/': {
    success: async (world) => ({
      path: `${contractPath(world)}block/`,
      json: unpaid,
      data: { ...standard, contract_id: world.me.contract_id, block_reason: 'Payment is overdue.' },
    }),
    refusals: {
      client_not_found: noClient((world) => `${contractPath(world)}block/`, unpaid),
      contract_not_found: noContract('block', unpaid),
    },
  },
  'POST /operator/v1/clients/{client_id}/contracts/{contract_id}/unblock/': {
    success: async (world) => {
      await world.operators.ok('POST', `${contractPath(world)}block/`, unpaid)
      return {
        path: `${contractPath(world)}unblock/`,
        data: { ...standard, contract_id: world.me.contract_id },
      }
    },
    refusals: {
      client_not_found: noClient((world) => `${contractPath(world)}unblock/`),
      contract_not_found: noContract('unblock'),
    },
  },
  'GET /operator/v1/clients/': {
    success: async (world) => {
      const { me, service } = world
      await order(world)
      await service.sql('update clients set client_name = $2 where client_id = $1', [
        me.client_id,
        `Autohaus Lindner ${me.client_id}`,
      ])
      const contract = {
        contract_default: false,
        currency_code: 'EUR',
        contract_limit: 0,
        exposure: 0,
        limit_left: null,
      }
      return {
        path: `/operator/v1/clients/?search=lind%20${me.client_id}`,
        data: [
          {
            client_id: me.client_id,
            client_name: `Autohaus Lindner ${me.client_id}`,
            block_reason: null,
            contracts: [
              {
                ...contract,
                contract_id: me.contract_id,
                contract_name: 'Standard',
                contract_default: true,
                exposure: 30,
              },
              {
                ...contract,
                contract_id: me.limited_contract_id,
                contract_name: 'Limited',
                contract_limit: 1000,
                limit_left: 1000,
              },
              { ...contract, contract_id: me.special_contract_id, contract_name: 'Special' },
            ],
          },
        ],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/clients/{client_id}/': {
    success: async ({ me }) => ({
      path: `/operator/v1/clients/${me.client_id}/`,
      data: {
        client_id: me.client_id,
        client_name: 'Garage Weber',
        unique_references: false,
        block_reason: null,
        contacts: [{ contact_id: me.contact_id, contact_name: 'Anna Weber', contact_email: null }],
        contracts: [
          { ...terms, contract_id: me.contract_id, contract_name: 'Standard', contract_default: true, tax_percent: 20 },
          {
            ...terms,
            contract_id: me.limited_contract_id,
            contract_name: 'Limited',
            contract_service: true,
            contract_limit: 1000,
            discount_percent: 5,
            tax_mode: 'added',
            tax_percent: 10,
          },
          { ...terms, contract_id: me.special_contract_id, contract_name: 'Special', price_list_id: 2 },
        ],
        stocks: [
          { stock_id: 1, stock_name: 'Berlin' },
          { stock_id: 2, stock_name: 'Hamburg' },
        ],
        metadata: {},
      },
    }),
    refusals: {
      client_not_found: async () => ({
        path: `/operator/v1/clients/${unknownId}/`,
        details: { client_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/clients/': {
    success: async () => ({
      path: '/operator/v1/clients/',
      json: newClient,
      data: { client_id: anyId, contact_id: anyId, contract_id: anyId },
    }),
    refusals: {
      price_list_not_found: async () => ({
        path: '/operator/v1/clients/',
        json: { ...newClient, price_list_id: unknownId },
        details: { price_list_id: unknownId },
      }),
      stock_not_found: async () => ({
        path: '/operator/v1/clients/',
        json: { ...newClient, stock_ids: [1, unknownId] },
        details: { stock_id: unknownId },
      }),
      idempotency_key_used: (world) =>
        withUsedKey(world, '/operator/v1/clients/', {
          first: newClient,
          second: { ...newClient, client_name: 'Another garage' },
        }),
    },
  },
  'PATCH /operator/v1/clients/{client_id}/': {
    success: async ({ me }) => ({
      path: `/operator/v1/clients/${me.client_id}/`,
      json: { client_name: 'Garage Weber & Sons', stock_ids: [3, 2], unique_references: true },
      data: {
        client_id: me.client_id,
        client_name: 'Garage Weber & Sons',
        unique_references: true,
        stocks: [
          { stock_id: 3, stock_name: 'Riga' },
          { stock_id: 2, stock_name: 'Hamburg' },
        ],
      },
    }),
    refusals: {
      nothing_to_change: nothing(clientPath, ['client_name', 'stock_ids', 'unique_references']),
      client_not_found: noClient(clientPath, { client_name: 'Unknown' }),
      stock_not_found: async (world) => ({
        path: clientPath(world),
        json: { client_name: 'Garage Weber & Sons', stock_ids: [2, unknownId] },
        details: { stock_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/clients/{client_id}/contacts/': {
    success: async (world) => ({
      path: `${clientPath(world)}contacts/`,
      json: { contact_name: 'Paula Weber', contact_email: 'paula@weber.example' },
      data: { contact_id: anyId, contact_name: 'Paula Weber', contact_email: 'paula@weber.example' },
    }),
    refusals: {
      client_not_found: noClient((world) => `${clientPath(world)}contacts/`, { contact_name: 'Unknown' }),
      idempotency_key_used: (world) =>
        withUsedKey(world, `${clientPath(world)}contacts/`, {
          first: { contact_name: 'Paula Weber' },
          second: { contact_name: 'Paul Weber' },
        }),
    },
  },
  'PATCH /operator/v1/clients/{client_id}/contacts/{contact_id}/': {
    success: async (world) => ({
      path: contactPath(world),
      json: { contact_email: 'anna@weber.example' },
      data: { contact_id: world.me.contact_id, contact_name: 'Anna Weber', contact_email: 'anna@weber.example' },
    }),
    refusals: {
      nothing_to_change: nothing(contactPath, ['contact_name', 'contact_email']),
      client_not_found: noClient(contactPath, { contact_name: 'Unknown' }),
      contact_not_found: async (world) => ({
        path: `${clientPath(world)}contacts/${unknownId}/`,
        json: { contact_name: 'Unknown' },
        details: { client_id: world.me.client_id, contact_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/clients/{client_id}/contacts/{contact_id}/erase/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await world.service.sql(`update orders set comment = 'Call Anna.' where order_id = $1`, [order_id])
      return {
        path: `${contactPath(world)}erase/`,
        data: {
          contact_id: world.me.contact_id,
          contact_name: 'Erased contact',
          revoked_keys: 1,
          erased_comments: 1,
          erased_reasons: 0,
          erased_events: 0,
        },
      }
    },
    refusals: {
      client_not_found: noClient((world) => `${contactPath(world)}erase/`),
      contact_not_found: async (world) => ({
        path: `${clientPath(world)}contacts/${unknownId}/erase/`,
        details: { client_id: world.me.client_id, contact_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/clients/{client_id}/contracts/': {
    success: async (world) => ({
      path: `${clientPath(world)}contracts/`,
      json: { contract_name: 'Winter', price_list_id: 3, contract_limit: 0.125, contract_default: true },
      data: {
        ...terms,
        contract_id: anyId,
        contract_name: 'Winter',
        contract_default: true,
        contract_limit: 0.125,
        price_list_id: 3,
      },
    }),
    refusals: {
      client_not_found: noClient((world) => `${clientPath(world)}contracts/`, {
        contract_name: 'Winter',
        price_list_id: 1,
        contract_default: true,
      }),
      price_list_not_found: async (world) => ({
        path: `${clientPath(world)}contracts/`,
        json: { contract_name: 'Winter', price_list_id: unknownId, contract_default: true },
        details: { price_list_id: unknownId },
      }),
      idempotency_key_used: (world) =>
        withUsedKey(world, `${clientPath(world)}contracts/`, {
          first: { contract_name: 'Winter', price_list_id: 1 },
          second: { contract_name: 'Winter', price_list_id: 2 },
        }),
    },
  },
  'PATCH /operator/v1/clients/{client_id}/contracts/{contract_id}/': {
    success: async (world) => ({
      path: contractPath(world, world.me.limited_contract_id),
      json: { contract_limit: 2000.5, price_list_id: 2, tax_mode: 'included', contract_default: true },
      data: {
        contract_id: world.me.limited_contract_id,
        contract_name: 'Limited',
        contract_default: true,
        contract_service: true,
        contract_limit: 2000.5,
        exposure: 0,
        price_list_id: 2,
        discount_percent: 5,
        tax_mode: 'included',
        tax_percent: 10,
        block_reason: null,
      },
    }),
    refusals: {
      nothing_to_change: nothing(contractPath, [
        'contract_name', 'price_list_id', 'contract_service', 'contract_limit', 'discount_percent', 'tax_mode', 'tax_percent',
        'contract_default',
      ]), // prettier-ignore
      client_not_found: noClient(contractPath, { contract_default: true }),
      contract_not_found: async (world) => ({
        path: contractPath(world, unknownId),
        json: { contract_default: true },
        details: { contract_id: unknownId },
      }),
      price_list_not_found: async (world) => ({
        path: contractPath(world, world.me.special_contract_id),
        json: { price_list_id: unknownId, contract_default: true },
        details: { price_list_id: unknownId },
      }),
      price_list_currency_differs: async (world) => ({
        path: contractPath(world, world.me.special_contract_id),
        json: { price_list_id: 3, contract_default: true },
        details: {
          price_list_id: 3,
          currency_code: 'KWD',
          contract_id: world.me.special_contract_id,
          contract_currency_code: 'EUR',
        },
      }),
      confirmation_required: async (world) => ({
        path: contractPath(world, world.me.limited_contract_id),
        json: { contract_name: 'Unlimited', contract_limit: 0 },
        details: { change: 'contract_limit', before: 1000, after: 0 },
      }),
      expected_differs: async (world) => ({
        path: contractPath(world, world.me.limited_contract_id),
        json: { contract_limit: 1100, expected: 999 },
        details: { figure: 'contract_limit', expected: 999, present: 1000 },
      }),
      contract_is_default: async (world) => ({
        path: contractPath(world),
        json: { contract_name: 'No longer', contract_default: false },
        details: { contract_id: world.me.contract_id },
      }),
    },
  },
}
