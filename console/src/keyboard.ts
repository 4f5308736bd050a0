/**
 * All keyboard work. A part of a page registers its keys with `useKeys`; one listener finds the key that was pressed. Keys
 * are ignored while somebody types or a dialog is open, except for those with `mod+`. `g i` is two keys in a row.
 */
import { useEffect, useRef } from 'react'

export interface Key {
  readonly keys: string
  /** What it does, in words, for the help. */
  readonly label: string
  readonly run: () => void
}

const registered = new Set<{ readonly current: readonly Key[] }>()
const sequenceMs = 1_000 // Between the two keys of a sequence.
let pending: { readonly key: string; readonly at: number } | undefined

/** The keys that work now, for the help. */
export const activeKeys = (): Key[] => [...registered].flatMap(({ current }) => current)

export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    registered.add(latest)
    return () => void registered.delete(latest)
  }, [])
}

export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const name = nameOf(event)
    if (name === undefined || (isBusy(event) && !name.startsWith('mod+'))) return
    const sequence =
      pending !== undefined && event.timeStamp - pending.at < sequenceMs ? `${pending.key} ${name}` : undefined
    const all = activeKeys()
    const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === name)
    pending = all.some(({ keys }) => keys.startsWith(`${name} `)) ? { key: name, at: event.timeStamp } : undefined
    if (found === undefined) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
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
