/** A key that was just issued. It is shown once and kept nowhere. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { Modal } from '../modal.tsx'

export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const { t } = useWords()
  const [isCopied, setCopied] = useState(false)
  return (
    <Modal title={title} onClose={onClose}>
      <div className="dialog">
        <p className="effect">{t('key_shown_once')}</p>
        <code className="secret">{secret}</code>
        <div className="dialog-buttons">
          <Button
            variant="default"
            onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}
          >
            {isCopied ? t('copied') : t('copy')}
          </Button>
          <Button onClick={onClose}>{t('done')}</Button>
        </div>
      </div>
    </Modal>
  )
}
