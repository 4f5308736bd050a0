/** Saved filters of a list: your own and those that others share. One press applies them. */
import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OrderView } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useKeys } from '../../keyboard.ts'
import { useWords } from '../../words/words.tsx'
import { ActionDialog } from '../dialog.tsx'
import { FieldsDialog } from '../fields-dialog.tsx'

const shownMax = 200 // Own ones are at most 100.

/** Order and encoding of the filters do not matter. */
const sorted = (filters: URLSearchParams): string => {
  const copy = new URLSearchParams(filters)
  copy.sort()
  return copy.toString()
}

export function Views({ filters, onPick }: { filters: URLSearchParams; onPick: (filters: URLSearchParams) => void }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [pickedId, setPickedId] = useState<number | null>(null)
  const [dialog, setDialog] = useState<'save' | 'rename' | 'delete' | null>(null)
  const list = useQuery({ queryKey: ['views'], queryFn: () => api.listViews({ limit: shownMax }) })
  const views = list.data?.data ?? []
  const now = sorted(filters)
  const applied = views.find((view) => sorted(new URLSearchParams(view.filters)) === now)
  /** The view in use: its filters may have been changed since it was picked. */
  const used = applied ?? views.find(({ view_id }) => view_id === pickedId)
  if (applied !== undefined && applied.view_id !== pickedId) setPickedId(applied.view_id)
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['views'] })
  const change = async (fields: Partial<Pick<OrderView, 'view_name' | 'filters' | 'shared'>>): Promise<void> => {
    if (used === undefined) return
    await api.changeView({ view_id: used.view_id, ...fields })
    await refresh()
  }
  const canSave = now !== '' && applied === undefined
  useKeys(canSave ? [{ keys: 'v', label: t('view_save'), run: () => setDialog('save') }] : [])
  if (views.length === 0 && !canSave && dialog === null) return null
  return (
    <div className="chips" role="group" aria-label={t('views')}>
      {views.map((view) => (
        <button
          key={view.view_id}
          type="button"
          className="chip"
          aria-pressed={view === applied}
          title={view.own ? undefined : t('view_shared_by', { name: view.owner_name })}
          onClick={() => onPick(new URLSearchParams(view.filters))}
        >
          {view.view_name}
        </button>
      ))}
      {canSave && (
        <Button size="compact-sm" variant="subtle" onClick={() => setDialog('save')}>
          {t('view_save')}
        </Button>
      )}
      {used?.changeable === true && (
        <Menu>
          <Menu.Target>
            <Button size="compact-sm" variant="subtle">
              {t('view_change', { name: used.view_name })}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {canSave && <Menu.Item onClick={() => void change({ filters: now })}>{t('view_update')}</Menu.Item>}
            <Menu.Item onClick={() => setDialog('rename')}>{t('view_rename')}</Menu.Item>
            <Menu.Item onClick={() => void change({ shared: !used.shared })}>
              {t(used.shared ? 'view_unshare' : 'view_share')}
            </Menu.Item>
            <Menu.Item onClick={() => setDialog('delete')}>{t('view_delete')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {dialog === 'save' && (
        <FieldsDialog
          title={t('view_save')}
          submit={t('save')}
          fields={[
            { name: 'view_name', label: t('name') },
            {
              name: 'shared',
              label: t('view_for'),
              type: 'select',
              options: [
                ['false', t('view_for_you')],
                ['true', t('everybody')],
              ],
            },
          ]}
          onSubmit={async ({ view_name = '', shared }) => {
            await api.createView({ view_name: view_name.trim(), filters: now, shared: shared === 'true' })
            await refresh()
          }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'rename' && used !== undefined && (
        <FieldsDialog
          title={t('view_rename')}
          submit={t('save')}
          fields={[{ name: 'view_name', label: t('name'), value: used.view_name }]}
          onSubmit={({ view_name = '' }) => change({ view_name: view_name.trim() })}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'delete' && used !== undefined && (
        <ActionDialog
          title={t('view_delete')}
          effect={t(used.shared ? 'view_delete_shared_effect' : 'view_delete_effect', { name: used.view_name })}
          submit={t('view_delete')}
          danger
          onSubmit={async () => {
            await api.deleteView({ view_id: used.view_id })
            await refresh()
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}
