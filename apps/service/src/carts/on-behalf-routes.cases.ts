/** Keeping a client's carts has the cases of the client's own routes. */
import { cartCases } from './routes.cases.ts'
import type { OperatorCases } from '../testing/cases.ts'
import { casesOnBehalf } from '../testing/on-behalf-cases.ts'
import type { OperatorRequest, OperatorWorld } from '../testing/operators.ts'

const renaming = 'PATCH /api/v1/carts/{cart_id}/'

/** The same request for another cart or, if it creates one, with another name. */
const otherRequest = async ({ shop }: OperatorWorld, { path }: OperatorRequest): Promise<OperatorRequest> =>
  path.endsWith('/carts/')
    ? { path, json: { name: 'First' } }
    : { path: path.replace(/\/carts\/\d+\//, `/carts/${await shop.createCart()}/`) }

export const cartOnBehalfCases: Record<string, OperatorCases> = Object.fromEntries(
  Object.entries(cartCases).map(([route, cases]) => {
    const below = route.replace('/api/v1/', '/operator/v1/clients/{client_id}/').replace(/^PUT /, 'POST ')
    if (route !== renaming) return [below, casesOnBehalf(cases, { first: otherRequest })]
    return [
      `${below.replace('PATCH ', 'POST ')}rename/`,
      casesOnBehalf(cases, { path: (plain) => `${plain}rename/`, first: otherRequest }),
    ]
  }),
)
