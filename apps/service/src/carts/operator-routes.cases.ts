import type { OperatorCases } from '../testing/cases.ts'
import { unknownId } from '../testing/world.ts'

export const cartOperatorCases: Record<string, OperatorCases> = {
  'PATCH /operator/v1/clients/{client_id}/carts/{cart_id}/': {
    success: async ({ me, shop }) => {
      const cart_id = await shop.createCart('Monday')
      return {
        path: `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`,
        json: { virtual: true },
        data: { cart_id, cart_name: 'Monday', virtual: true },
      }
    },
    refusals: {
      cart_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${me.client_id}/carts/${unknownId}/`,
        json: { virtual: true },
        details: { cart_id: unknownId },
      }),
    },
  },
}
