/** The ids in the paths of orders. */
import { exampleIds } from '../vocabulary/example-ids.ts'
import { id } from '../input/fields.ts'

export const order_id = id('The order.', exampleIds.order_id)

export const adjustment_id = id('The adjustment.', exampleIds.adjustment_id)
