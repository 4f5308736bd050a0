/**
 * What every order that a benchmark places says besides its cart group. Required fields come from the fixtures.
 */
import { orderInputValues } from '../../apps/service/src/orders/order-input.ts'
import { address } from '../../apps/service/src/testing/fixtures.ts'

export const orderAddress = { ...address, room: '3' }

/** The values that place_order.sql takes for it. */
const { saved_address: _none, ...texts } = orderInputValues(orderAddress)
export const orderInput = texts

/** As fields of a form. */
export const orderAddressForm = new URLSearchParams(orderAddress).toString()
