/** One import: how the file was read, what changes, its bad rows; then import, stop or undo. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { CallOptions, Import, ImportChange } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { Changes } from '../parts/orders/changes.tsx'
import { ActionDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { fileOf, sendFile } from '../parts/import-file.ts'
import { ImportState, isRunning, kindWord } from '../parts/import-state.tsx'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { Failed, Loading, Nothing } from '../parts/orders/states.tsx'
import { usePlaces } from '../parts/places.ts'
import type { WordKey } from '../words/en.ts'
import { useWords, type Words } from '../words/words.tsx'
import { whoOf } from '../who.ts'

const refreshMs = 1_000

export default function ImportPage() {
  const import_id = Number(useParams()['import'])
  const words = useWords()
  const { t, number } = words
  const one = useQuery({
    queryKey: ['import', import_id],
    queryFn: ({ signal }) => api.readImport({ import_id }, { signal }),
    refetchOnMount: 'always',
    refetchInterval: ({ state: { data } }) => (data === undefined || isRunning(data) ? refreshMs : false),
  })
  if (one.isPending) return <Loading />
  if (one.isLoadingError) return <Failed isPage error={one.error} onRetry={() => void one.refetch()} />
  const { data } = one
  // A refused check counts nothing, although it lists what the good rows would change.
  const figure = (count: number): string =>
    data.dry_run && data.import_state === 'refused' && count === 0 ? '–' : number(count)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            {t('import_number', { number: String(import_id) })} <ImportState of={data} />
            {data.dry_run && <span className="badge">{t('import_dry')}</span>}
          </h1>
          <div className="dim subtitle break">
            {t(kindWord[data.import_kind])} {data.file_name}
          </div>
        </div>
        <ImportActions of={data} />
      </div>
      <div className="order-page">
        <div>
          {data.rows_refused > 0 && !isRunning(data) && <BadRows import_id={import_id} />}
          {!isRunning(data) && <Changed key={data.import_state} of={data} />}
        </div>
        <aside>
          <Facts
            facts={[
              [t('import_rows'), number(data.rows)],
              [t('import_added'), figure(data.rows_added)],
              [t('import_changed'), figure(data.rows_changed)],
              [t('import_unchanged'), figure(data.rows_unchanged)],
              [t('import_refused'), number(data.rows_refused)],
              [t('import_detected'), formatText(data.file_format, words)],
              [t('who'), whoOf(data.actor, words)],
              [t('import_started'), words.dateTime(data.created_at)],
            ]}
          />
        </aside>
      </div>
    </>
  )
}

const separatorWords: Readonly<Record<string, WordKey>> = {
  ',': 'separator_comma',
  ';': 'separator_semicolon',
  '\t': 'separator_tab',
}

/** How the file was read: as UTF-8, separated by commas, with a decimal point. */
function formatText(format: Import['file_format'], { t }: Words): string {
  const { encoding, separator, decimal } = format ?? {}
  const word = separatorWords[separator ?? '']
  return (
    [
      ...(encoding === undefined ? [] : [encoding.toUpperCase()]),
      ...(word === undefined ? [] : [t(word)]),
      ...(decimal === undefined ? [] : [t(decimal === 'comma' ? 'decimal_comma' : 'decimal_point')]),
    ].join(', ') || '–'
  )
}

function ImportActions({ of }: { of: Import }) {
  const { t, problem } = useWords()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const mayImport = useMay('catalogue')
  const [asked, setAsked] = useState<'stop' | 'undo' | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const { import_id } = of
  const chosen = fileOf(import_id)
  if (!mayImport) return null
  const start = async (mode: 'all' | 'rows'): Promise<void> => {
    if (chosen === undefined || isBusy) return
    setBusy(true)
    try {
      navigate(`/imports/${await sendFile(chosen, { dry_run: false, mode })}`)
    } catch (error) {
      setRefused(problem(error))
    }
    setBusy(false)
  }
  const hasGoodRows = of.rows > of.rows_refused
  const isChecked = of.dry_run && !isRunning(of) && hasGoodRows
  return (
    <div className="page-actions">
      {refused !== null && (
        <span className="refused" role="alert">
          {refused}
        </span>
      )}
      {isChecked && chosen === undefined && (
        <Link href="/imports" className="dim">
          {t('import_again')}
        </Link>
      )}
      {isChecked && chosen !== undefined && (
        <Button loading={isBusy} onClick={() => void start(of.rows_refused > 0 ? 'rows' : 'all')}>
          {t(of.rows_refused > 0 ? 'import_good_rows' : 'import_now')}
        </Button>
      )}
      {isRunning(of) && of.import_state !== 'undoing' && (
        <Button variant="default" onClick={() => setAsked('stop')}>
          {t('import_stop')}
        </Button>
      )}
      {of.undoable && !of.dry_run && (
        <Button variant="default" onClick={() => setAsked('undo')}>
          {t('import_undo')}
        </Button>
      )}
      {asked !== null && (
        <ActionDialog
          title={t(asked === 'stop' ? 'import_stop' : 'import_undo')}
          effect={
            asked === 'stop' ? t('import_stop_effect') : t('import_undo_effect', { n: of.rows_added + of.rows_changed })
          }
          submit={t(asked === 'stop' ? 'import_stop' : 'import_undo')}
          danger
          onSubmit={async () => {
            await (asked === 'stop' ? api.stopImport({ import_id }) : api.undoImport({ import_id }))
            await queries.invalidateQueries({ queryKey: ['import', import_id] })
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

function BadRows({ import_id }: { import_id: number }) {
  const { t, problem } = useWords()
  const paged = usePages(['import-errors', import_id], (cursor, options) =>
    api.listImportErrors({ import_id, ...cursor }, options),
  )
  const download = async (): Promise<void> => {
    const answer = await api.fetch('GET', `/operator/v1/imports/${import_id}/errors/`, {
      headers: { accept: 'text/csv' },
    })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await answer.blob())
    link.download = `import-${import_id}-bad-rows.csv`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <section>
      <div className="section-head">
        <h2>{t('import_refused')}</h2>
        <Button size="compact-sm" variant="default" onClick={() => void download()}>
          {t('import_errors_file')}
        </Button>
      </div>
      <Listing paged={paged} empty={t('none')}>
        <Table
          label={t('import_refused')}
          rows={paged.rows}
          idOf={({ line, field, code }) => `${line} ${field ?? ''} ${code}`}
          columns={[
            { label: t('import_line'), cell: ({ line }) => line },
            { label: t('import_field'), cell: ({ field }) => field ?? '–' },
            { label: t('import_problem'), cell: problem },
          ]}
        />
      </Listing>
    </section>
  )
}

const changesOf = ({ before, after }: ImportChange) =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map((field) => ({
    field: field === 'difference' ? 'stock_difference' : field, // In the log it is an amount.
    old: before?.[field],
    new: after?.[field],
  }))

const sortedMax = 10_000 // About 3 MB, in 20 requests.
const pageSize = 100
const outlierPart = 0.5

const pricesOf = ({ before, after }: ImportChange): [number, number] => [
  Number(before?.['price']),
  Number(after?.['price']),
]

/** A price that changes by half or more. */
function isOutlier(row: ImportChange): boolean {
  const [old, now] = pricesOf(row)
  return Math.abs(now - old) >= old * outlierPart
}

/** By which factor a price rises or falls, whichever it is; 1 for everything else. */
function factorOf(row: ImportChange): number {
  const [old, now] = pricesOf(row)
  return old > 0 && now >= 0 ? Math.max(now / old, old / now) : 1
}

/** What changes most first: far prices, then the largest differences of stock. */
async function outliersFirst(import_id: number, options: CallOptions): Promise<ImportChange[]> {
  const rows: ImportChange[] = []
  for await (const row of api.listImportChanges({ import_id, limit: 500 }, options)) {
    rows.push(row)
    if (rows.length === sortedMax) break
  }
  const moved = ({ after }: ImportChange): number => Math.abs(Number(after?.['difference'] ?? 0))
  return rows.toSorted((one, other) => factorOf(other) - factorOf(one) || moved(other) - moved(one))
}

function Changed({ of }: { of: Import }) {
  const { t, number } = useWords()
  const { import_id, import_kind } = of
  const [shownMax, setShownMax] = useState(pageSize)
  const places = usePlaces().data
  const sorted = useQuery({
    queryKey: ['import-changes', import_id, of.import_state],
    queryFn: ({ signal }) => outliersFirst(import_id, { signal }),
  })
  if (sorted.isPending) return <Loading />
  if (sorted.isLoadingError) return <Failed error={sorted.error} onRetry={() => void sorted.refetch()} />
  const rows = sorted.data
  const outliers = rows.filter(isOutlier).length
  const title = t(of.dry_run ? 'import_would' : 'import_did')
  const placeOf = ({ price_list_id, stock_id }: ImportChange): string =>
    places?.lists.find((list) => list.price_list_id === price_list_id)?.price_list_name ??
    places?.stocks.find((stock) => stock.stock_id === stock_id)?.stock_name ??
    String(price_list_id ?? stock_id)
  return (
    <section>
      <h2>{title}</h2>
      {outliers > 0 && <p className="notice">{t('import_outliers', { n: outliers })}</p>}
      {rows.length === 0 ? (
        <Nothing title={t('import_no_changes')} />
      ) : (
        <Table
          label={title}
          rows={rows.slice(0, shownMax)}
          idOf={(row) => `${row.item_id} ${row.price_list_id ?? ''} ${row.stock_id ?? ''}`}
          columns={[
            {
              label: t('item'),
              cell: ({ item_id, item_vendor_code, item_title, after }) => (
                <>
                  <Link href={`/goods/${item_id}`}>
                    {item_vendor_code ?? (after?.['item_vendor_code'] as string | undefined) ?? item_id}
                  </Link>
                  <div className="dim">{item_title ?? (after?.['item_title'] as string | undefined)}</div>
                </>
              ),
            },
            ...(import_kind === 'items'
              ? []
              : [{ label: t(import_kind === 'prices' ? 'price_list' : 'stock'), cell: placeOf }]),
            {
              label: t('state'),
              cell: (row) =>
                isOutlier(row) ? (
                  <span className="badge" data-state="held">
                    {t('import_outlier')}
                  </span>
                ) : (
                  <span className="badge">{t(row.change === 'added' ? 'change_added' : 'import_changed')}</span>
                ),
            },
            { label: t('values'), cell: (row) => <Changes changes={changesOf(row)} /> },
          ]}
        />
      )}
      <div className="table-foot">
        <span className="dim">
          {t('all_shown', { n: Math.min(shownMax, rows.length) })}
          {rows.length > shownMax && ` / ${number(rows.length)}${rows.length === sortedMax ? '+' : ''}`}
        </span>
        {rows.length > shownMax && (
          <Button variant="default" onClick={() => setShownMax(shownMax + pageSize)}>
            {t('more')}
          </Button>
        )}
      </div>
    </section>
  )
}
