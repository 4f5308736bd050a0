/** In which quantities an item is ordered: a smallest quantity, and packs. They bind clients, and orders for clients. */
import Type, { type Static } from 'typebox'
import { integer, optional, quantityMax } from '../../input/fields.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import { int4 } from 'pg-statements/types.ts'

const exampleRules = { quantity_min: 20, quantity_multiple: 10 }

export const QuantityRules = Type.Object(
  {
    quantity_min: Type.Integer({ description: 'The smallest quantity of a line.' }),
    quantity_multiple: Type.Integer({ description: 'The quantity of a line is a multiple of this, as of a pack.' }),
  },
  {
    $id: 'QuantityRules',
    description: 'In which quantities an item can be ordered. Both are 1 if there is no rule.',
    examples: [exampleRules],
  },
)
export type QuantityRules = Static<typeof QuantityRules>

export const includableQuantityRules = { quantity_rules: Type.Optional(refer(QuantityRules)) }

export const quantityRuleColumns = { quantity_min: int4, quantity_multiple: int4 }

/** With the result of the function `next_quantity` for a quantity. */
export const nextQuantityColumns = { ...quantityRuleColumns, next_quantity: int4 }

export const quantityRulesOf = ({ quantity_min, quantity_multiple }: QuantityRules): QuantityRules => ({
  quantity_min,
  quantity_multiple,
})

/** Throws unless the quantity is its own next one. */
export function refuseQuantity(
  line: QuantityRules & { readonly item_id: number; readonly quantity: number; readonly next_quantity: number },
): void {
  const { item_id, quantity, next_quantity } = line
  if (next_quantity === quantity) return
  const details = { item_id, quantity, next_quantity, ...quantityRulesOf(line) }
  throw new Refusal('quantity_not_allowed', details, { field: 'quantity' })
}

const ruleMax = quantityMax / 2 // With both up to here, some quantity of a line is always possible.
const unchanged = 'If absent, it stays unchanged, and a new item has 1.'

/** Of an item, for operators. */
export const quantityRuleFields = {
  quantity_min: optional(
    integer({
      min: 1,
      max: ruleMax,
      description: `The smallest quantity that can be ordered. ${unchanged}`,
      example: exampleRules.quantity_min,
    }),
  ),
  quantity_multiple: optional(
    integer({
      min: 1,
      max: ruleMax,
      description: `Only multiples of it can be ordered, as of a pack. ${unchanged}`,
      example: exampleRules.quantity_multiple,
    }),
  ),
}
