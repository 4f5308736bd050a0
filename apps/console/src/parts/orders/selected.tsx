/** How many rows are selected, and what clears the selection. */
import { Button } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import type { Rows } from '../rows.ts'

export function Selected({ rows: { marked, clear } }: { rows: Pick<Rows<never>, 'marked' | 'clear'> }) {
  const { t } = useWords()
  if (marked.size === 0) return null
  return (
    <>
      <span className="dim">{t('selected', { n: marked.size })}</span>
      <Button variant="subtle" size="sm" onClick={clear}>
        {t('clear_selection')}
      </Button>
    </>
  )
}
