import type { RouteCases } from '../testing/cases.ts'
import { berlin, hamburg } from '../testing/orders.ts'

export const stockCases: Record<string, RouteCases> = {
  'GET /api/v1/stocks/': {
    success: async () => ({ path: '/api/v1/stocks/', data: [berlin, hamburg] }),
    refusals: {},
    foreign: 'has no ids',
  },
}
