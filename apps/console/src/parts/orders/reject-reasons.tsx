/** The reasons that the order desk chooses from, for admins to change: one a line. */
import { Button, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'
import { whoOf } from '../../who.ts'
import { reasonsQuery } from './reasons.tsx'
import { Failed, Loading } from './states.tsx'

export function RejectReasons() {
  const words = useWords()
  const { t, dateTime, problem } = words
  const queries = useQueryClient()
  const stored = useQuery(reasonsQuery)
  const [changed, setChanged] = useState<string | null>(null)
  const [refused, setRefused] = useState<unknown>(null)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const lines = (changed ?? '').split('\n').map((line) => line.trim())
    try {
      const reasons = await api.setRejectReasons({ reasons: [...new Set(lines.filter((line) => line !== ''))] })
      queries.setQueryData(reasonsQuery.queryKey, reasons)
      setChanged(null)
      setRefused(null)
    } catch (error) {
      setRefused(error)
    }
  }
  return (
    <section>
      <h2>{t('reasons')}</h2>
      {stored.isPending ? (
        <Loading />
      ) : stored.isLoadingError ? (
        <Failed error={stored.error} onRetry={() => void stored.refetch()} />
      ) : (
        <form className="dialog" onSubmit={(event) => void save(event)}>
          <Textarea
            aria-label={t('reasons')}
            description={t('reasons_hint')}
            rows={Math.max(4, stored.data.reasons.length + 1)}
            value={changed ?? stored.data.reasons.join('\n')}
            onChange={({ currentTarget }) => setChanged(currentTarget.value)}
          />
          {stored.data.changed_at !== null && (
            <p className="dim">
              {t('changed_by', { who: stored.data.changed_by === null ? '–' : whoOf(stored.data.changed_by, words) })},{' '}
              {dateTime(stored.data.changed_at)}
            </p>
          )}
          {refused !== null && (
            <p className="refused" role="alert">
              {problem(refused)}
            </p>
          )}
          <div>
            <Button type="submit" disabled={changed === null}>
              {t('save_of', { name: t('reasons') })}
            </Button>
          </div>
        </form>
      )}
    </section>
  )
}
