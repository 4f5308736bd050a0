import type { RouteCases } from '../testing/cases.ts'
import { standardContract } from '../testing/orders.ts'

export const clientCases: Record<string, RouteCases> = {
  'GET /api/v1/contracts/': {
    success: async (world) => ({
      path: '/api/v1/contracts/',
      data: [
        standardContract(world),
        {
          contract_id: world.me.limited_contract_id,
          contract_name: 'Limited',
          contract_default: false,
          contract_service: true,
          contract_limit: 1000,
        },
        {
          contract_id: world.me.special_contract_id,
          contract_name: 'Special',
          contract_default: false,
          contract_service: false,
          contract_limit: 0,
        },
      ],
    }),
    refusals: {},
    foreign: 'has no ids',
  },
}
