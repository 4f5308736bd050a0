/** A list with keyset paging, and a table that becomes cards on a phone. */
import { Button } from '@mantine/core'
import { useInfiniteQuery, type UseInfiniteQueryResult } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { CallOptions, ListPage } from '@parts-ordering/client/operator'
import { asCsv } from '../api.ts'
import { useWords } from '../words/words.tsx'
import { Failed, Loading, Nothing } from './orders/states.tsx'

type Load<R> = (cursor: { readonly cursor?: string }, options: CallOptions) => Promise<ListPage<R>>

export interface Paged<R> {
  readonly list: UseInfiniteQueryResult
  readonly rows: readonly R[]
  /** Downloads all of the list. */
  readonly onCsv: () => Promise<unknown>
}

const csvTimeoutMs = 600_000 // A list of millions of rows.

export function usePages<R>(queryKey: readonly unknown[], load: Load<R>, refetchInterval: number | false = false) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchOnMount: 'always',
    refetchInterval,
  })
  const onCsv = async (): Promise<unknown> => load(asCsv, { timeoutMs: csvTimeoutMs, retries: 0 })
  return { list, rows: list.data?.pages.flatMap(({ data }) => data) ?? [], onCsv } satisfies Paged<R>
}

/** Loading, failed, empty, or the table with what loads more. */
export function Listing({
  paged: { list, rows, onCsv },
  empty,
  hint,
  children,
}: {
  paged: Paged<unknown>
  empty: string
  hint?: string | undefined
  children: ReactNode
}) {
  if (list.isPending) return <Loading />
  if (list.isLoadingError) return <Failed error={list.error} onRetry={() => void list.refetch()} />
  if (rows.length === 0 && !list.hasNextPage) return <Nothing title={empty} {...(hint === undefined ? {} : { hint })} />
  return (
    <>
      {children}
      <TableFoot list={list} shown={rows.length} onCsv={onCsv} />
    </>
  )
}

/** How many rows are shown, what loads more, and what downloads all. */
export function TableFoot({
  list,
  shown,
  onCsv,
}: {
  list: UseInfiniteQueryResult
  shown: number
  onCsv: () => Promise<unknown>
}) {
  const { t, problem } = useWords()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const download = async (): Promise<void> => {
    setBusy(true)
    setRefused(null)
    await onCsv().catch(setRefused)
    setBusy(false)
  }
  return (
    <div className="table-foot">
      <span className="dim">
        {t('all_shown', { n: shown })}
        {list.hasNextPage ? ' +' : ''}
      </span>
      {(list.isFetchNextPageError || refused !== null) && (
        <span className="refused" role="alert">
          {problem(refused ?? list.error)}
        </span>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" loading={isBusy} onClick={() => void download()} data-csv>
        {t('csv')}
      </Button>
    </div>
  )
}

export interface Column<R> {
  readonly label: string
  readonly num?: boolean
  /** The label is only for screen readers. */
  readonly quiet?: boolean
  readonly cell: (row: R) => ReactNode
}

export function Table<R>({
  label,
  columns,
  rows,
  idOf,
  current,
  onCurrent,
}: {
  label: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  idOf: (row: R) => number | string
  current?: number
  onCurrent?: (index: number) => void
}) {
  return (
    <div className="table-place" tabIndex={0} role="region" aria-label={label}>
      <table className="rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} className={column.num === true ? 'num' : undefined}>
                {column.quiet === true ? <span className="hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={idOf(row)}
              data-row={index}
              aria-current={index === current || undefined}
              onClick={onCurrent && (() => onCurrent(index))}
            >
              {columns.map((column) => (
                <td
                  key={column.label}
                  className={column.num === true ? 'num' : undefined}
                  data-label={column.quiet === true ? undefined : column.label}
                >
                  <div>{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
