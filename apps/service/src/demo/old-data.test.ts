/** The demo recognises data that it cannot use, and says how to start with new data. */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectDemo } from './claim-database.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { fillDatabase } from './fill-database.ts'
import { createEmptyDatabase } from '../testing/database.ts'

test('data of an older numbering of the migrations is recognised before it is changed, and --fresh replaces it', async () => {
  await using opened = new AsyncDisposableStack()
  const database = await createEmptyDatabase()
  opened.defer(() => database.drop())
  const client = await connectDemo(database.url)
  opened.defer(() => client.end())
  const fill = (fresh: boolean): Promise<void> => fillDatabase(client, database.url, { fresh, say: () => undefined })
  const count = async (table: string): Promise<unknown> => (await database.query(`select from ${table}`)).length
  await fill(true)
  await database.query(`update migrations set name = '0006_events' where name like '0006%'`)
  await database.query('delete from item_words')
  await assert.rejects(fill(false), {
    name: 'DemoProblem',
    message: "The demo's data is of an older version. To start with new data: npm run demo -- --fresh",
  })
  assert.equal(await count('item_words'), 0)
  await fill(true)
  assert.notEqual(await count('item_words'), 0)
})

test('a directory of another PostgreSQL is recognised before the demo tries to start on it', async () => {
  const directory = join(tmpdir(), `parts-old-demo-${process.pid}`) // As in demo.campaign.ts, not one of mkdtemp.
  await mkdir(join(directory, 'cluster'), { recursive: true })
  try {
    await writeFile(join(directory, 'cluster/PG_VERSION'), '9\n')
    const said: string[] = []
    const say = (step: string): void => void said.push(step)
    await assert.rejects(
      startEmbeddedPostgres({ DEMO_DATA_DIR: directory }, { owner: 'demo', fresh: false, say }),
      ({ name, message }: Error) =>
        name === 'DemoProblem' &&
        new RegExp(
          `^The data in ${directory} is not of PostgreSQL \\d+\\. To start with new data: npm run demo -- --fresh$`,
        ).test(message),
    )
    assert.deepEqual(said, [])
  } finally {
    await rm(directory, { recursive: true })
  }
})
