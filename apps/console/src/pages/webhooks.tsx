/** The webhooks of all clients, or only those that are paused. */
import { useFilters } from '../parts/filters.ts'
import { Webhooks } from '../parts/clients/webhooks.tsx'
import { useWords } from '../words/words.tsx'

export default function WebhooksPage() {
  const { t } = useWords()
  const filters = useFilters()
  const onlyPaused = filters.get('paused') === 'true'
  return (
    <>
      <div className="page-head">
        <h1>{t('webhooks')}</h1>
      </div>
      <div className="filters">
        <div className="chips">
          <button
            type="button"
            className="chip"
            aria-pressed={onlyPaused}
            onClick={() => filters.set('paused', onlyPaused ? '' : 'true')}
          >
            {t('webhooks_only_paused')}
          </button>
        </div>
      </div>
      <Webhooks onlyPaused={onlyPaused} />
    </>
  )
}
