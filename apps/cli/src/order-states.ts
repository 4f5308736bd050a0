/** The states of orders, known here so that a misspelt one is refused before anything is sent. */
import type { ListClientOrdersParams, MoveOrderParams, OrderState } from '@parts-ordering/client/operator'
import { wrongUse } from './command.ts'

/** Whether an operator may move an order there; the type fails to compile when the service gets another state. */
const movable: Readonly<Record<OrderState, boolean>> = {
  new: true,
  processing: true,
  fulfilling: true,
  shipped: true,
  completed: true,
  'zayavka-na-otmen': false,
  canceled: true,
}

export const stateNames = Object.keys(movable)
export const moveTargets = stateNames.filter((state) => movable[state as OrderState]) // A key of the table.

type Named = { readonly name: string }

/** Throws unless every name of a list separated by commas is a state. Case does not matter, as in the service. */
export function knownStates(made: Named, option: string, text: string | undefined): ListClientOrdersParams['state'] {
  const unknown = text?.split(',').find((state) => !stateNames.includes(state.trim().toLowerCase()))
  if (unknown !== undefined)
    throw wrongUse(made, `${option} must name states, not '${unknown}'. The states are ${stateNames.join(', ')}.`)
  return text as ListClientOrdersParams['state']
}

/** Throws unless an order can be moved there. */
export function moveTarget(made: Named, state: string): MoveOrderParams['state_id'] {
  if (!moveTargets.includes(state.toLowerCase()))
    throw wrongUse(made, `An order cannot be moved to '${state}'. The states are ${moveTargets.join(', ')}.`)
  return state as MoveOrderParams['state_id']
}
