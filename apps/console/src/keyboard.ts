/**
 * All keyboard work. A part of a page registers its keys with `useKeys`; one listener finds the key that was pressed. Keys
 * are ignored while somebody types or a dialog is open, except for those with `mod+`. `g i` is two keys in a row.
 *
 * Keys typed after Ctrl K never reach the page, which could take an `a` for accepting a request: the palette is part of
 * the first script and opens before the next key; while the console itself still loads, keys are kept for the palette.
 */
import { useLayoutEffect, useRef } from 'react'

export interface Key {
  readonly keys: string
  /** What it does, in words, for the help. */
  readonly label: string
  readonly run: () => void
}

const registered = new Set<{ readonly current: readonly Key[] }>()
const sequenceMs = 1_000 // Between the two keys of a sequence.
let pending: { readonly key: string; readonly at: number } | undefined

/** The keys of the palette, which also work while the console loads. */
export const paletteKeys = 'mod+k'
let isLoading = true
let ahead: string | undefined

/** Ends loading. Returns what was typed for the palette meanwhile; undefined unless it was called. */
export function takeTypedAhead(): string | undefined {
  const typed = ahead
  isLoading = false
  ahead = undefined
  return typed
}

/** The keys that work now, for the help. */
export const activeKeys = (): Key[] => [...registered].flatMap(({ current }) => current)

export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  useLayoutEffect(() => {
    latest.current = keys
  })
  useLayoutEffect(() => {
    registered.add(latest)
    return () => void registered.delete(latest)
  }, [])
}

/** Listens from the first script on, so that the page has no key before the palette. */
export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    const name = nameOf(event)
    if (name === undefined) return
    if (ahead !== undefined) return keepAhead(event, name)
    if (isBusy(event) && !name.startsWith('mod+')) return
    const sequence =
      pending !== undefined && event.timeStamp - pending.at < sequenceMs ? `${pending.key} ${name}` : undefined
    const all = activeKeys()
    const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === name)
    pending = all.some(({ keys }) => keys.startsWith(`${name} `)) ? { key: name, at: event.timeStamp } : undefined
    if (found === undefined && !(isLoading && name === paletteKeys)) return
    event.preventDefault()
    if (found === undefined) ahead = ''
    else found.run()
  })
}

function keepAhead(event: KeyboardEvent, name: string): void {
  if (name.length === 1) ahead += name
  else if (name === 'Backspace') ahead = ahead?.slice(0, -1)
  else if (name === 'Escape') ahead = undefined
  else if (name !== 'Enter' && name !== paletteKeys) return
  event.preventDefault()
}

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey || key.length === 0) return undefined
  if (ctrlKey || metaKey) return `mod+${key.toLowerCase()}`
  return key
}

function isBusy({ key, target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open], [role="menu"]') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog:not([open])') !== null) return false // Escape has just closed it, and it keeps the focus.
  if (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)) return true
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return key === 'Enter' && /^(A|BUTTON)$/.test(target.tagName) // It opens or presses what has the focus.
}
