/** Reasons for a decision: those of the service, or else the usual ones, and those that this browser used last. */
import { Textarea } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'

const storageKey = 'parts-console-reasons'
const keptMax = 5

export const reasonsQuery = queryOptions({
  queryKey: ['reject-reasons'],
  queryFn: () => api.readRejectReasons(),
  staleTime: 60_000,
})

/** At least one: those of the service, or the console's own while there are none. */
export function useReasons(): readonly [string, ...string[]] {
  const { t } = useWords()
  const [first, ...others] = useQuery(reasonsQuery).data?.reasons ?? []
  return first === undefined
    ? [t('reason_packed'), t('reason_sold_out'), t('reason_limit'), t('reason_late')]
    : [first, ...others]
}

function usedReasons(): string[] {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? '[]') as unknown
    return Array.isArray(stored) ? stored.filter((reason) => typeof reason === 'string').slice(0, keptMax) : []
  } catch {
    return []
  }
}

export function keepReason(reason: string): void {
  const kept = [reason, ...usedReasons().filter((one) => one !== reason)].slice(0, keptMax)
  localStorage.setItem(storageKey, JSON.stringify(kept))
}

export function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }) {
  const { t } = useWords()
  const offered = [...new Set([...usedReasons(), ...useReasons()])]
  return (
    <>
      <Textarea
        label={t('reason')}
        description={t('reason_hint')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
        maxLength={500}
        rows={2}
        required
        data-autofocus
      />
      <div className="chips">
        {offered.map((reason) => (
          <button
            key={reason}
            type="button"
            className="chip"
            aria-pressed={reason === value}
            onClick={() => onChange(reason)}
          >
            {reason}
          </button>
        ))}
      </div>
    </>
  )
}
