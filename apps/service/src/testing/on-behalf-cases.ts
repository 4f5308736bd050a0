/** The cases of a client's route as cases of the operators' route for that client. */
import assert from 'node:assert/strict'
import type { CaseRequest, OperatorCases, RouteCases } from './cases.ts'
import { sendAsOperator, type OperatorRequest, type OperatorWorld } from './operators.ts'
import { unknownId } from './world.ts'

type Refusals = OperatorCases['refusals']

/** `path` is the path on behalf, and `first` a request that uses the key of the case of `idempotency_key_used`. */
export function casesOnBehalf(
  cases: RouteCases,
  {
    path = (plain) => plain,
    first,
  }: {
    readonly path?: (plain: string) => string
    readonly first?: (world: OperatorWorld, second: OperatorRequest) => Promise<OperatorRequest>
  } = {},
): OperatorCases {
  const requestFor = (client_id: number, { form, json, headers, ...request }: CaseRequest): OperatorRequest => {
    const body = json ?? form
    return {
      path: path(request.path.replace('/api/v1/', `/operator/v1/clients/${client_id}/`)),
      ...(body && { json: body }),
      ...(headers && { headers }),
    }
  }
  const refusals = Object.entries(cases.refusals).map(([code, refusal]) => [
    code,
    async (world: OperatorWorld) => {
      const { details, ...request } = await refusal(world)
      const sent = requestFor(world.me.client_id, request)
      if (code === 'idempotency_key_used' && first !== undefined) {
        const answer = await sendAsOperator(
          world.service,
          'POST',
          { ...sent, ...(await first(world, sent)) },
          world.operators.keys.admin,
        )
        assert.equal(answer.status, 200, answer.text)
      }
      return { ...sent, ...(details && { details }) }
    },
  ])
  return {
    success: async (world) => {
      const { data, ...request } = await cases.success(world)
      return { ...requestFor(world.me.client_id, request), data }
    },
    refusals: {
      client_not_found: async (world) => {
        const { data: _, ...request } = await cases.success(world)
        return { ...requestFor(unknownId, request), details: { client_id: unknownId } }
      },
      ...(Object.fromEntries(refusals) as Refusals),
    },
  }
}
