/** Ctrl-K: pages, and orders that match what is typed. */
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api.ts'
import { routes } from '../routes.tsx'
import type { WordKey } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { Modal } from './modal.tsx'

const shownMax = 8

export function Palette({ typed, onClose }: { typed: string; onClose: () => void }) {
  const words = useWords()
  const { t } = words
  const [, navigate] = useLocation()
  const [text, setText] = useState(typed)
  const [current, setCurrent] = useState(0)
  const [searched] = useDebouncedValue(text.trim(), 150)
  const orders = useQuery({
    queryKey: ['palette', searched],
    queryFn: ({ signal }) => api.listClientOrders({ search: searched, limit: shownMax }, { signal }),
    enabled: searched.length > 1,
  })
  const pages = routes
    .filter(({ word }) => word !== undefined && t(word).toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ path, word }) => ({ path, label: t(word as WordKey), hint: '' }))
  const found = (searched.length > 1 ? (orders.data?.data ?? []) : []).map((order) => ({
    path: `/orders/${order.order_id}`,
    label: `${order.order_number} ${order.client_name}`,
    hint: words.state(order.order_state_id),
  }))
  const entries = [...pages, ...found]
  const go = (path: string | undefined): void => {
    if (path === undefined) return
    onClose()
    navigate(path)
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
          else if (event.key === 'Enter') go(entries[current]?.path)
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
          {entries.map(({ path, label, hint }, index) => (
            <div
              key={path}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === current}
              onClick={() => go(path)}
            >
              <span>{label}</span>
              <span className="dim">{hint}</span>
            </div>
          ))}
        </div>
      )}
    </Modal>
  )
}
