/**
 * All keyboard work. A part of a page registers its keys with `useKeys`; one listener finds the key that was pressed. Keys
 * are ignored while somebody types or a dialog is open, except for those with `mod+`. `g i` is two keys in a row.
 *
 * A key never acts on what its reader has not seen, such as an `a` of a name on a request to accept:
 * - Ctrl K opens the palette before the next key, as it is part of the first script; while the console itself still
 *   loads, keys are kept for the palette.
 * - While anything loads, and until it can be read, keys of the page are dropped, and with them the rest of the word.
 */
import { useLayoutEffect, useRef } from 'react'

export interface Key {
  readonly keys: string
  /** What it does, in words, for the help. */
  readonly label: string
  readonly run: () => void
  /** It acts on nothing that is shown, so it also works while the page loads. */
  readonly always?: boolean
  /** It changes nothing, so it also works soon after a key was dropped. */
  readonly looks?: boolean
}

const registered = new Set<{ readonly current: readonly Key[] }>()
const sequenceMs = 1_000 // Between the two keys of a sequence, and between two letters of a word.
let pending: { readonly key: string; readonly at: number } | undefined

const reactionMs = 250 // Nobody reads and presses a key faster.
let loadingCount = 0
let shownAt = 0 // When the page last began to show something else.
let droppedAt = -sequenceMs

/** To be called when a row is suddenly another one. */
export const noteUnread = (): void => void (shownAt = performance.now())

/** The keys of the page do nothing while this is shown. */
export function useLoading(): void {
  useLayoutEffect(() => {
    loadingCount += 1
    return () => {
      loadingCount -= 1
      noteUnread()
    }
  }, [])
}

/** The keys of the palette, which also work while the console loads. */
export const paletteKeys = 'mod+k'
let isLoading = true
let ahead: string | undefined

/** Ends loading. Returns what was typed for the palette meanwhile; undefined unless it was called. */
export function takeTypedAhead(): string | undefined {
  const typed = ahead
  isLoading = false
  noteUnread()
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
    const isUnread = isLoading || loadingCount > 0 || event.timeStamp - shownAt < reactionMs
    const all = activeKeys().filter(({ always }) => always === true || !isUnread)
    const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === name)
    const begins = all.some(({ keys }) => keys.startsWith(`${name} `))
    const isTyped = name.length === 1 || name === 'Enter'
    const isInWord = event.timeStamp - droppedAt < sequenceMs && found?.looks !== true
    if (isTyped && (isInWord || (isUnread && found === undefined && !begins))) {
      droppedAt = event.timeStamp
      pending = undefined
      return
    }
    pending = begins ? { key: name, at: event.timeStamp } : undefined
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
