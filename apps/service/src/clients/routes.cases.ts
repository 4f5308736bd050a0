import type { RouteCases } from '../testing/cases.ts'
import { standardContract } from '../testing/orders.ts'

export const clientCases: Record<string, RouteCases> = {
  'GET /api/v1/contracts/': {
    success: async (world) => ({
      path: '/api/v1/contracts/',
      data: [
        {
          ...standardContract(world),
          currency_code: 'EUR',
          tax_mode: 'included',
          tax_percent: 20,
          discount_percent: 0,
          limit_left: null,
        },
        {
          contract_id: world.me.limited_contract_id,
          contract_name: 'Limited',
          contract_default: false,
          contract_service: true,
          contract_limit: 1000,
          currency_code: 'EUR',
          tax_mode: 'added',
          tax_percent: 10,
          discount_percent: 5,
          limit_left: 1000,
        },
        {
          contract_id: world.me.special_contract_id,
          contract_name: 'Special',
          contract_default: false,
          contract_service: false,
          contract_limit: 0,
          currency_code: 'EUR',
          tax_mode: 'included',
          tax_percent: 0,
          discount_percent: 0,
          limit_left: null,
        },
      ],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
}
