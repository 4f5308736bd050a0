/** Ctrl-K: pages, actions, and orders that match what is typed. */
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { newOrderPath, routes } from '../routes.tsx'
import { useWords } from '../words/words.tsx'
import { Modal } from './modal.tsx'

const shownMax = 8

interface Entry {
  readonly label: string
  readonly hint: string
  readonly run: () => void
}

export function Palette({ typed, onClose }: { typed: string; onClose: () => void }) {
  const words = useWords()
  const { t } = words
  const [, navigate] = useLocation()
  const mayDecide = useMay('decide')
  const [text, setText] = useState(typed)
  const [current, setCurrent] = useState(0)
  const [searched] = useDebouncedValue(text.trim(), 150)
  const orders = useQuery({
    queryKey: ['palette', searched],
    queryFn: ({ signal }) => api.listClientOrders({ search: searched, limit: shownMax }, { signal }),
    enabled: searched.length > 1,
  })
  const isTyped = ({ label }: { label: string }): boolean => label.toLowerCase().includes(text.trim().toLowerCase())
  const to = (path: string) => () => navigate(path)
  const pages = routes.flatMap(({ path, word }) =>
    word === undefined ? [] : [{ label: t(word), hint: '', run: to(path) }],
  )
  const actions = mayDecide ? [{ label: t('order_new'), hint: 'c', run: to(newOrderPath) }] : []
  const found = (searched.length > 1 ? (orders.data?.data ?? []) : []).map((order) => ({
    label: `${order.order_number} ${order.client_name}`,
    hint: words.state(order.order_state_id),
    run: to(`/orders/${order.order_id}`),
  }))
  const entries: readonly Entry[] = [...[...pages, ...actions, ...downloads(t('csv'))].filter(isTyped), ...found]
  const go = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  return (
    <Modal onClose={onClose} title={t('palette')}>
      <TextInput
        aria-label={t('palette')}
        placeholder={t('search_hint')}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setCurrent(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setCurrent(Math.min(entries.length - 1, current + 1))
          else if (event.key === 'ArrowUp') setCurrent(Math.max(0, current - 1))
          else if (event.key === 'Enter') go(entries[current])
          else return
          event.preventDefault()
        }}
        role="combobox"
        aria-expanded
        aria-controls="palette-entries"
        aria-activedescendant={entries.length > 0 ? `palette-${current}` : undefined}
        data-autofocus
      />
      {entries.length === 0 ? (
        <p className="dim" role="status">
          {orders.isFetching ? t('loading') : t('palette_none')}
        </p>
      ) : (
        <div id="palette-entries" role="listbox" aria-label={t('palette')} className="palette">
          {entries.map((entry, index) => (
            <div
              key={`${entry.label} ${entry.hint}`}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === current}
              onClick={() => go(entry)}
            >
              <span>{entry.label}</span>
              <span className="dim">{entry.hint}</span>
            </div>
          ))}
        </div>
      )}
    </Modal>
  )
}

/** The buttons of the lists on the page that is open, each with its heading. */
const downloads = (label: string): Entry[] =>
  [...document.querySelectorAll<HTMLButtonElement>('main button[data-csv]')].map((button) => ({
    label,
    hint: (button.closest('section')?.querySelector('h2') ?? document.querySelector('h1'))?.textContent ?? '',
    run: () => button.click(),
  }))
