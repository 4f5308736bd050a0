/** Thirty questions of three readers: the page that answers is among the first three results of the search. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import MiniSearch from 'minisearch'
import { indexOptions } from '../.vitepress/theme/search.ts'

const chunks = join(import.meta.dirname, '../dist/assets/chunks')

/** The index is a module that exports a text. */
async function openIndex(): Promise<MiniSearch> {
  const [file = ''] = globSync('@localSearchIndexroot.*.js', { cwd: chunks })
  const source = readFileSync(join(chunks, file), 'utf8')
  const { default: text } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { default: string }
  return MiniSearch.loadJSON(text, indexOptions)
}

const questions = {
  "a dealer's integrator": [
    ['webhook signature', 'how-to/integrator/webhooks'],
    ['what does contract_limit_exceeded want from me', 'reference/errors#contract_limit_exceeded'],
    ['how do I place my first order', 'tutorial/first-order'],
    ['cancel an order', 'how-to/integrator/change-orders'],
    ['the response was lost, can I send it again', 'how-to/integrator/retries-and-limits'],
    ['install the TypeScript package', 'client/'],
    ['upload a spreadsheet with articles', 'how-to/integrator/order-many-lines'],
    ['price and availability of an item', 'how-to/integrator/find-goods'],
    ['stop polling orders', 'how-to/integrator/migrate-from-polling'],
    ['rotate an API key', 'how-to/integrator/keys'],
  ],
  'an operator': [
    ['ship a part of an order', 'how-to/operator/ship'],
    ['reject a cancellation', 'how-to/operator/orders'],
    ['block a client', 'how-to/operator/hold-and-block'],
    ['count the stock in a warehouse', 'how-to/operator/count-stock'],
    ['import prices from CSV', 'how-to/operator/goods'],
    ['issue a key for a client', 'how-to/operator/clients'],
    ['a customer returned goods', 'how-to/operator/correct-orders'],
    ['print a packing slip', 'how-to/operator/files'],
    ['who changed this order', 'how-to/operator/find'],
    ['keyboard shortcuts of the console', 'how-to/operator/console'],
  ],
  'an engineer': [
    ['which disk do I need', 'how-to/engineer/sizing'],
    ['how do I restore a backup', 'how-to/engineer/backup'],
    ['upgrade without downtime', 'how-to/engineer/upgrade'],
    ['list of settings', 'reference/configuration'],
    ['move PostgreSQL to another server', 'how-to/engineer/move-postgresql'],
    ['an API key has leaked', 'how-to/engineer/incident'],
    ['Kubernetes', 'how-to/engineer/deploy'],
    ['replication lag alert', 'how-to/engineer/alerts/replication-lagging'],
    ['how long are events kept', 'how-to/engineer/retention'],
    ['export the audit log to a SIEM', 'how-to/engineer/audit-log'],
  ],
} as const

for (const [reader, asked] of Object.entries(questions))
  test(`ten questions of ${reader} have their page in the first three results`, async () => {
    const index = await openIndex()
    assert.equal(asked.length, 10)
    const missed = asked.flatMap(([question, page]) => {
      const found = index
        .search(question)
        .slice(0, 3)
        .map(({ id }) => String(id).replace('/docs/', ''))
      const isFound = found.some((id) => id === page || (!page.includes('#') && id.startsWith(`${page}#`)))
      return isFound ? [] : [`${question}: ${found.join(', ')}`]
    })
    assert.deepEqual(missed, [])
  })

test('the name of a setting finds the table of all settings first; other questions do not', async () => {
  const index = await openIndex()
  const found = (question: string): string[] =>
    index
      .search(question)
      .slice(0, 3)
      .map(({ id }) => String(id))
  for (const setting of ['DATABASE_URL', 'POOL_SIZE', 'EVENTS_KEPT_DAYS', 'what does WEBHOOK_SECRET_KEYS do'])
    assert(found(setting)[0]?.startsWith('/docs/reference/configuration'), `${setting}: ${found(setting).join(', ')}`)
  assert.deepEqual(
    found('webhook signature').filter((id) => id.includes('configuration')),
    [],
  )
})
