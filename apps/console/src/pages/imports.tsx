/** Imports: choose or drop a file, which is checked first; and all earlier ones with their progress. */
import { Button } from '@mantine/core'
import { useState, type DragEvent } from 'react'
import { Link, useLocation } from 'wouter'
import type { Import, ImportKind } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { useFilters } from '../parts/filters.ts'
import { sendFile } from '../parts/import-file.ts'
import { ImportState, kindWord } from '../parts/import-state.tsx'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { useRows } from '../parts/rows.ts'
import { useWords } from '../words/words.tsx'
import { whoOf } from '../who.ts'

const refreshMs = 5_000
const kinds: readonly ImportKind[] = ['prices', 'stock-levels', 'items', 'arrivals', 'substitutes']

export default function Imports() {
  const words = useWords()
  const { t, dateTime, number } = words
  const [, navigate] = useLocation()
  const filters = useFilters()
  const onlyFailed = filters.get('state') === 'failed'
  const mayImport = useMay('catalogue')
  const paged = usePages(['imports'], (cursor, options) => api.listImports(cursor, options), refreshMs)
  const shown = onlyFailed ? paged.rows.filter((one) => one.import_state === 'failed') : paged.rows
  const rows = useRows(
    shown,
    ({ import_id }) => import_id,
    ({ import_id }) => navigate(`/imports/${import_id}`),
  )
  return (
    <>
      <div className="page-head">
        <h1>{t('imports')}</h1>
      </div>
      {mayImport && <ChooseFile />}
      <div className="filters">
        <div className="chips">
          <button
            type="button"
            className="chip"
            aria-pressed={onlyFailed}
            onClick={() => filters.set('state', onlyFailed ? '' : 'failed')}
          >
            {t('imports_only_failed')}
          </button>
        </div>
      </div>
      <Listing paged={{ ...paged, rows: shown }} empty={t(onlyFailed ? 'imports_none_failed' : 'imports_empty')}>
        <Table
          label={t('imports')}
          rows={shown}
          idOf={({ import_id }) => import_id}
          current={rows.current}
          onCurrent={rows.setCurrent}
          columns={[
            {
              label: t('number'),
              cell: ({ import_id }) => <Link href={`/imports/${import_id}`}>{import_id}</Link>,
            },
            {
              label: t('import_file'),
              cell: (one) => (
                <>
                  {t(kindWord[one.import_kind])} {one.dry_run && <span className="badge">{t('import_dry')}</span>}
                  <div className="dim break">{one.file_name}</div>
                </>
              ),
            },
            { label: t('state'), cell: (one) => <ImportState of={one} /> },
            { label: t('import_rows'), num: true, cell: (one: Import) => number(one.rows) },
            { label: t('import_refused'), num: true, cell: (one) => number(one.rows_refused) },
            { label: t('who'), cell: ({ actor }) => whoOf(actor, words) },
            { label: t('import_started'), cell: ({ created_at }) => dateTime(created_at) },
          ]}
        />
      </Listing>
    </>
  )
}

function ChooseFile() {
  const { t, problem } = useWords()
  const [, navigate] = useLocation()
  const [kind, setKind] = useState<ImportKind>('prices')
  const [file, setFile] = useState<File | null>(null)
  const [isOver, setOver] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const drag = (event: DragEvent, over: boolean): void => {
    event.preventDefault()
    setOver(over)
  }
  const check = async (): Promise<void> => {
    if (file === null || isBusy) return
    setBusy(true)
    setRefused(null)
    try {
      navigate(`/imports/${await sendFile({ file, kind }, { dry_run: true, mode: 'all' })}`)
    } catch (error) {
      setRefused(problem(error))
      setBusy(false)
    }
  }
  return (
    <form
      className="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false)
        setFile(event.dataTransfer.files[0] ?? null)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void check()
      }}
    >
      <div className="fields">
        <label>
          <span>{t('import_kind')}</span>
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as ImportKind)}>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {t(kindWord[one])}
              </option>
            ))}
          </select>
        </label>
        <label className="wide">
          <span>{file === null ? t('import_drop') : file.name}</span>
          <input
            type="file"
            accept=".csv,.txt,.ndjson,.jsonl"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </label>
        <Button type="submit" loading={isBusy} disabled={file === null}>
          {t('import_check')}
        </Button>
      </div>
      <p className="dim">{t('import_check_hint')}</p>
      {refused !== null && (
        <p className="refused" role="alert">
          {refused}
        </p>
      )}
    </form>
  )
}
