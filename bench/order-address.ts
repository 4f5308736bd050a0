/**
 * The delivery address of every order that a benchmark places. Required fields come from the fixtures. Optional ones are
 * added here, because place-order.sql takes every field.
 */
import { address } from '../service/src/testing/fixtures.ts'

export const orderAddress = { ...address, room: '3' }

/** As fields of a form. */
export const orderAddressForm = new URLSearchParams(orderAddress).toString()
