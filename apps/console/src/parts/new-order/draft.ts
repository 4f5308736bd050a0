/**
 * An order that is being typed. It is kept in the tab, so that nothing is lost when the page is reloaded or left; one for
 * each address of the page, so that ordering something again does not overwrite it.
 */
import { useState } from 'react'
import type { FullOrder, OrderAddress, OrderForClientParams } from '@parts-ordering/client/operator'
import { useMe } from '../../me.ts'
import type { ParsedLine } from './parse-lines.ts'

export interface DraftLine extends ParsedLine {
  readonly id: number
  /** Known as long as the article is not changed. */
  readonly item_id?: number
}

export type AddressFields = Readonly<Record<keyof OrderAddress, string>>

export interface Draft {
  /** With which the order is placed once, however often it is sent. */
  readonly key: string
  readonly client_id?: number | undefined
  readonly stock_id?: number | undefined
  readonly contract_id?: number | undefined
  readonly contact_id?: number | undefined
  readonly lines: readonly DraftLine[]
  /** In the field for new lines. */
  readonly typed: string
  /** Null means the one of the client's last order. */
  readonly address: AddressFields | null
  readonly isOwnAddress: boolean
  readonly reference: string
  readonly comment: string
  readonly shipping_date: string
  /** Sent, and no answer came: it may have been placed. */
  readonly unanswered?: OrderForClientParams | undefined
}

const newKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join('')

export const emptyDraft = (): Draft => ({
  key: newKey(),
  lines: [],
  typed: '',
  address: null,
  isOwnAddress: false,
  reference: '',
  comment: '',
  shipping_date: '',
})

/** The same again: its lines, where they came from, and where they went. */
export function draftOf(order: FullOrder): Draft {
  const { address } = order
  return {
    ...emptyDraft(),
    client_id: order.client_id,
    stock_id: order.order_stock.stock_id,
    contract_id: order.order_contract.contract_id,
    contact_id: order.order_contact_id,
    lines: order.items.map(({ order_item, order_item_quantity }, id) => ({
      id,
      item_id: order_item.item_id,
      article: order_item.item_vendor_code,
      quantity: String(order_item_quantity),
      brand: order_item.brand.brand_name,
    })),
    address: address.street === '' ? null : fieldsOf(address),
  }
}

export const addressNames = [
  'company', 'recipient', 'street', 'home', 'room', 'zip', 'city', 'country_code', 'region_code', 'phone', 'email',
] as const // prettier-ignore

export const fieldsOf = (address: OrderAddress): AddressFields =>
  Object.fromEntries(addressNames.map((name) => [name, address[name] ?? ''])) as AddressFields

interface Stored {
  readonly operator: string
  readonly draft: Draft
}

export interface KeptDraft {
  readonly draft: Draft | null
  /** `before`: the draft if none is kept yet. */
  readonly change: (fields: Partial<Draft>, before: Draft) => void
  readonly forget: () => void
}

export function useDraft(name: string): KeptDraft {
  const { operator_name } = useMe()
  const storageKey = `parts-console-new-order ${name}`
  const [draft, setDraft] = useState(() => {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Stored | null
    return stored?.operator === operator_name ? stored.draft : null
  })
  return {
    draft,
    change: (fields, first) =>
      setDraft((before) => {
        const next = { ...(before ?? first), ...fields }
        sessionStorage.setItem(storageKey, JSON.stringify({ operator: operator_name, draft: next } satisfies Stored))
        return next
      }),
    forget: () => {
      sessionStorage.removeItem(storageKey)
      setDraft(null)
    },
  }
}
