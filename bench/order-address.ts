/**
 * What every order that a benchmark places says besides its cart group. Required fields come from the fixtures. Optional
 * ones are added here, because place_order.sql takes every field.
 */
import { address } from '../service/src/testing/fixtures.ts'

export const orderAddress = { ...address, room: '3' }

/** The values that place_order.sql takes for it. */
export const orderInput = { ...orderAddress, reference: null, comment: null }

/** As fields of a form. */
export const orderAddressForm = new URLSearchParams(orderAddress).toString()
