/** The current row of a list, and the marked ones. */
import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { noteUnread, useKeys } from '../keyboard.ts'
import { useWords } from '../words/words.tsx'

export interface Rows<R> {
  readonly current: number
  readonly setCurrent: (index: number) => void
  readonly marked: ReadonlySet<number | string>
  readonly toggle: (row: R) => void
  readonly markAll: (all: boolean) => void
  /** The marked rows, or the current one if none is marked. */
  readonly chosen: readonly R[]
  readonly isMarked: (row: R) => boolean
  readonly clear: () => void
  readonly next: () => void
}

export function useRows<R>(rows: readonly R[], idOf: (row: R) => number | string, onOpen: (row: R) => void): Rows<R> {
  const { t } = useWords()
  const [current, setCurrent] = useState(0)
  const [marked, setMarked] = useState<ReadonlySet<number | string>>(new Set())
  const at = Math.min(current, Math.max(0, rows.length - 1))
  const go = (index: number): void => {
    const target = Math.max(0, Math.min(rows.length - 1, index))
    setCurrent(target)
    document.querySelector(`[data-row="${target}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  const toggle = (row: R): void => setMarked((before) => before.symmetricDifference(new Set([idOf(row)])))
  const row = rows[at]
  const id = row && idOf(row)
  const seen = useRef({ at, id })
  useLayoutEffect(() => {
    if (seen.current.at === at && seen.current.id !== id) noteUnread() // Another row has come to where the current one was.
    seen.current = { at, id }
  }, [at, id])
  useKeys([
    { keys: 'j', label: t('key_next'), run: () => go(at + 1), looks: true },
    { keys: 'k', label: t('key_previous'), run: () => go(at - 1), looks: true },
    { keys: 'x', label: t('key_mark'), run: () => row !== undefined && toggle(row) },
    { keys: 'Enter', label: t('key_open'), run: () => row !== undefined && onOpen(row), looks: true },
  ])
  const markedRows = rows.filter((one) => marked.has(idOf(one)))
  return {
    current: at,
    setCurrent,
    marked,
    toggle,
    markAll: (all) => setMarked(new Set(all ? rows.map(idOf) : [])),
    chosen: markedRows.length > 0 ? markedRows : row === undefined ? [] : [row],
    isMarked: (one) => marked.has(idOf(one)),
    clear: () => setMarked(new Set()),
    next: () => go(at + 1),
  }
}

const drawnFirst = 20 // What fits on a screen; 100 rows at once would keep the browser busy for most of a second.

/** The rows to draw: first those on the screen, then the rest when the browser has time. */
export function useDrawn<R>(rows: readonly R[]): readonly R[] {
  const [all, setAll] = useState(false)
  const isLong = rows.length > drawnFirst
  useEffect(() => startTransition(() => setAll(isLong)), [isLong])
  return all || !isLong ? rows : rows.slice(0, drawnFirst)
}
