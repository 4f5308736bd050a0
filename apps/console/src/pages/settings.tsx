/** Who you are; for admins all sessions, which they can end, and the operators' keys. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Operator, Session } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay, useMe } from '../me.ts'
import { ActionDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { KeyState } from '../parts/clients/key-state.tsx'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { RejectReasons } from '../parts/orders/reject-reasons.tsx'
import type { WordKey } from '../words/en.ts'
import { useWords } from '../words/words.tsx'

export default function Settings() {
  const { t } = useWords()
  const me = useMe()
  const queries = useQueryClient()
  const mayAdminister = useMay('administer')
  const leave = async (): Promise<void> => {
    await api.signOut({ everywhere: true })
    queries.setQueryData(['me'], null)
  }
  return (
    <>
      <div className="page-head">
        <h1>{t('settings')}</h1>
      </div>
      <section className="you">
        <Facts
          facts={[
            [t('settings_you'), me.operator_name],
            [t('settings_role'), t(`role_${me.role}` as WordKey)],
            [t('settings_session'), me.session_id ?? '–'],
          ]}
        />
        <p className="dim">{t('settings_sign_out_hint')}</p>
        <Button variant="default" onClick={() => void leave()}>
          {t('sign_out_everywhere')}
        </Button>
      </section>
      {mayAdminister && (
        <>
          <RejectReasons />
          <Sessions own={me.session_id} />
          <OperatorKeys />
          <Operators />
        </>
      )}
    </>
  )
}

function Sessions({ own }: { own: number | null }) {
  const { t, dateTime, day } = useWords()
  const queries = useQueryClient()
  const [ending, setEnding] = useState<Session | null>(null)
  const queryKey = ['sessions']
  const paged = usePages(queryKey, (cursor, options) => api.listSessions(cursor, options))
  const stateOf = ({ ended_at, expires_at }: Session): string => {
    if (ended_at !== null) return t('session_ended', { when: dateTime(ended_at) })
    const isOver = Date.parse(`${expires_at.replace(' ', 'T')}Z`) < Date.now()
    return t(isOver ? 'key_expired' : 'key_expires', { when: day(expires_at) })
  }
  return (
    <section>
      <h2>{t('sessions')}</h2>
      <Listing paged={paged} empty={t('none')}>
        <Table
          label={t('sessions')}
          rows={paged.rows}
          idOf={({ session_id }) => session_id}
          columns={[
            {
              label: t('number'),
              cell: ({ session_id }) => (
                <>
                  {session_id} {session_id === own && <span className="badge">{t('session_yours')}</span>}
                </>
              ),
            },
            { label: t('who'), cell: ({ operator_name }) => operator_name },
            { label: t('settings_role'), cell: ({ role }) => t(`role_${role}`) },
            { label: t('signed_in'), cell: ({ created_at }) => dateTime(created_at) },
            {
              label: t('last_used'),
              cell: ({ last_used_at }) => (last_used_at === null ? t('never') : dateTime(last_used_at)),
            },
            { label: t('state'), cell: stateOf },
            {
              label: t('actions'),
              quiet: true,
              cell: (session) =>
                session.ended_at === null && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t('session_end_of', { number: String(session.session_id) })}
                    onClick={() => setEnding(session)}
                  >
                    {t('session_end')}
                  </Button>
                ),
            },
          ]}
        />
      </Listing>
      {ending !== null && (
        <ActionDialog
          title={t('session_end_of', { number: String(ending.session_id) })}
          effect={t('session_end_effect', { name: ending.operator_name })}
          submit={t('session_end')}
          danger
          onSubmit={async () => {
            await api.endSession({ session_id: ending.session_id })
            await queries.invalidateQueries({ queryKey })
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </section>
  )
}

function OperatorKeys() {
  const { t, dateTime } = useWords()
  const paged = usePages(['operator-keys'], (cursor, options) => api.listOperatorKeys(cursor, options))
  return (
    <section>
      <h2>{t('operator_keys')}</h2>
      <Listing paged={paged} empty={t('keys_empty')}>
        <Table
          label={t('operator_keys')}
          rows={paged.rows}
          idOf={({ key_id }) => key_id}
          columns={[
            { label: t('number'), cell: ({ key_id }) => key_id },
            { label: t('who'), cell: ({ operator_name }) => operator_name },
            { label: t('settings_role'), cell: ({ role }) => t(`role_${role}`) },
            { label: t('issued'), cell: ({ created_at }) => dateTime(created_at) },
            {
              label: t('last_used'),
              cell: (key) => (key.last_used_at === null ? t('never') : dateTime(key.last_used_at)),
            },
            { label: t('state'), cell: (key) => <KeyState {...key} /> },
          ]}
        />
      </Listing>
    </section>
  )
}

/** Whose keys and sessions they are. Company accounts are distinguished by their subject: names may be the same. */
function Operators() {
  const { t, dateTime } = useWords()
  const queries = useQueryClient()
  const [erasing, setErasing] = useState<Operator | null>(null)
  const queryKey = ['operators']
  const paged = usePages(queryKey, (cursor, options) => api.listOperators(cursor, options))
  return (
    <section>
      <h2>{t('operators')}</h2>
      <Listing paged={paged} empty={t('none')}>
        <Table
          label={t('operators')}
          rows={paged.rows}
          idOf={({ operator_id }) => operator_id}
          columns={[
            { label: t('number'), cell: ({ operator_id }) => operator_id },
            {
              label: t('who'),
              cell: ({ operator_name, erased_at }) =>
                erased_at === null ? operator_name : t('operator_erased', { when: dateTime(erased_at) }),
            },
            {
              label: t('operator_account'),
              cell: ({ issuer, subject }) => [subject, issuer].filter(Boolean).join(', '),
            },
            { label: t('operator_keys'), cell: ({ keys }) => keys },
            {
              label: t('actions'),
              quiet: true,
              cell: (operator) =>
                operator.erased_at === null && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t('operator_erase_of', { name: operator.operator_name })}
                    onClick={() => setErasing(operator)}
                  >
                    {t('operator_erase')}
                  </Button>
                ),
            },
          ]}
        />
      </Listing>
      {erasing !== null && (
        <ActionDialog
          title={t('operator_erase_of', { name: erasing.operator_name })}
          effect={t('operator_erase_effect', { number: String(erasing.operator_id) })}
          submit={t('operator_erase')}
          danger
          onSubmit={async () => {
            await api.eraseOperator({ operator_id: erasing.operator_id })
            await queries.invalidateQueries()
          }}
          onClose={() => setErasing(null)}
        />
      )}
    </section>
  )
}
