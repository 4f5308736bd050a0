/** The delivery address of every order that a benchmark places, from the fixtures: a new field needs no change here. */
import { address } from '../service/src/testing/fixtures.ts'

export const orderAddress = { ...address, room: '3' }

/** As fields of a form. */
export const orderAddressForm = new URLSearchParams(orderAddress).toString()
