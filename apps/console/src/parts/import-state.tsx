/** How far an import has come. */
import type { Import, ImportKind, ImportState as State } from '@parts-ordering/client/operator'
import type { WordKey } from '../words/en.ts'
import { useWords } from '../words/words.tsx'

export const kindWord: Readonly<Record<ImportKind, WordKey>> = {
  items: 'import_items',
  prices: 'import_prices',
  'stock-levels': 'import_stock-levels',
  arrivals: 'import_arrivals',
  substitutes: 'import_substitutes',
}

const running: readonly State[] = ['receiving', 'waiting', 'checking', 'applying', 'undoing']
export const isRunning = ({ import_state }: Import): boolean => running.includes(import_state)

const colours: Partial<Record<State, string>> = { done: 'completed', failed: 'held', refused: 'held' }

export function ImportState({ of }: { of: Import }) {
  const { t } = useWords()
  return (
    <>
      <span className="badge" data-state={colours[of.import_state] ?? (isRunning(of) ? 'processing' : undefined)}>
        {t(`import_state_${of.import_state}`)}
      </span>
      {isRunning(of) && of.rows > 0 && (
        <progress max={of.rows} value={of.rows_done} aria-label={t(`import_state_${of.import_state}`)} />
      )}
    </>
  )
}
