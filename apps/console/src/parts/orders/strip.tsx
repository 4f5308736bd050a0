/** Says that there are new rows, and shows them when asked: nothing jumps on its own. */
import { Button, Kbd } from '@mantine/core'
import { useKeys } from '../../keyboard.ts'
import { useWords } from '../../words/words.tsx'

export function NewRowsStrip({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useWords()
  useKeys([{ keys: 'n', label: t('key_new'), run: () => count > 0 && onShow() }])
  return (
    <div className="strip-place" role="status" aria-live="polite">
      {count > 0 && (
        <div className="strip">
          <span>{t('new_rows', { n: count })}</span>
          <Button size="compact-sm" variant="light" onClick={onShow} rightSection={<Kbd size="xs">n</Kbd>}>
            {t('show_new')}
          </Button>
        </div>
      )}
    </div>
  )
}
