/** What the lines of a draft cost now: asked again shortly after each change. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import type { Quote } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { noteUnread } from '../../keyboard.ts'
import type { Draft, DraftLine } from './draft.ts'

export type QuotedLine = Quote['lines'][number]

export interface Quoted {
  readonly quote: Quote
  /** By the id of the draft's line. Lines of the same item are one, at the first of them. */
  readonly lines: ReadonlyMap<number, QuotedLine | { readonly joined: number }>
}

export const quantityMax = 1_000_000

export const isValid = ({ article, quantity }: DraftLine): boolean =>
  article.trim() !== '' && /^\d{1,7}$/.test(quantity) && Number(quantity) > 0 && Number(quantity) <= quantityMax

export const requestedOf = (lines: readonly DraftLine[]) =>
  lines.filter(isValid).map(({ item_id, article, brand, quantity }) => ({
    ...(item_id === undefined
      ? { article: article.trim(), ...(brand.trim() === '' ? {} : { brand: brand.trim() }) }
      : { item_id }),
    quantity: Number(quantity),
  }))

const typingMs = 120

export function useQuote({
  client_id,
  stock_id,
  contract_id,
  lines,
}: Pick<Draft, 'client_id' | 'stock_id' | 'contract_id' | 'lines'>) {
  const wanted = JSON.stringify({ client_id, stock_id, contract_id, lines: requestedOf(lines) })
  const [settled] = useDebouncedValue(wanted, typingMs)
  const ids = lines.filter(isValid).map(({ id }) => id)
  const result = useQuery({
    queryKey: ['quote', settled, ids.join()],
    queryFn: async ({ signal }): Promise<Quoted> => {
      const quote = await api.quoteForClient(JSON.parse(settled) as Parameters<typeof api.quoteForClient>[0], {
        signal,
      })
      const shown = new Map<number, QuotedLine | { joined: number }>()
      for (const line of quote.lines)
        for (const [n, place] of line.places.entries())
          shown.set(ids[place - 1] ?? -1, n === 0 ? line : { joined: line.places[0] ?? 0 })
      return { quote, lines: shown }
    },
    enabled: client_id !== undefined && stock_id !== undefined && settled === wanted && ids.length > 0,
    placeholderData: keepPreviousData,
  })
  const isCurrent = settled === wanted && !result.isPlaceholderData && result.isSuccess && ids.length > 0
  useLayoutEffect(noteUnread, [result.data]) // Nobody places at a total that has just changed.
  return { ...result, isCurrent, data: ids.length === 0 ? undefined : result.data }
}
