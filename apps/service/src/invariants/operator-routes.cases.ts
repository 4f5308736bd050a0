import type { OperatorCases } from '../testing/cases.ts'

export const invariantOperatorCases: Record<string, OperatorCases> = {
  'GET /operator/v1/invariants/': {
    success: async () => ({ path: '/operator/v1/invariants/', data: [] }),
    refusals: {},
  },
}
