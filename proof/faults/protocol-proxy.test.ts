import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openProtocolProxy, type ProtocolProxy } from './protocol-proxy.ts'

const serverUrl = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const table = `faults_proxy_${process.pid}`
let proxy: ProtocolProxy
const direct = new pg.Client({ connectionString: serverUrl })

before(async () => {
  await direct.connect()
  await direct.query(`create table ${table} (n integer)`)
  proxy = await openProtocolProxy(serverUrl)
})
after(async () => {
  await proxy.close()
  await direct.query(`drop table ${table}`)
  await direct.end()
})

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: proxy.url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const insert = (name: string, n: number) => ({ name, text: `insert into ${table} values ($1)`, values: [n] })

test('a lost answer: the statement is committed, its caller gets no answer, and earlier answers arrive', async () => {
  const client = await connected()
  proxy.losesAnswer = (name) => name === 'lost'
  assert.equal((await client.query(insert('kept', 1))).rowCount, 1)
  await assert.rejects(client.query(insert('lost', 2)), /Connection terminated/)
  proxy.losesAnswer = () => false
  assert.equal(proxy.lost(), 1)
  const { rows } = await direct.query<{ n: number }>(`select n from ${table} order by n`)
  assert.deepEqual(rows, [{ n: 1 }, { n: 2 }])
})

test('when a delay ends, what the server sends later does not pass what is still delayed', async () => {
  const client = await connected()
  await client.query(`listen ${table}`)
  const arrived: string[] = []
  const notified = once(
    client.on('notification', () => arrived.push('notice')),
    'notification',
  )
  proxy.delayMs = 500
  const query = client.query(new pg.Query(`select 1 as ${table}`))
  const answered = once(
    query.on('row', () => arrived.push('answer')),
    'end',
  )
  const sent = `select from pg_stat_activity where query = 'select 1 as ${table}' and state = 'idle'`
  while ((await direct.query(sent)).rowCount === 0);
  proxy.delayMs = 0
  await direct.query(`notify ${table}`)
  await Promise.all([answered, notified])
  assert.deepEqual(arrived, ['answer', 'notice'])
  await client.end()
})

test('a delay holds back what the server sends, in order; a frozen connection answers when it is released', async () => {
  const client = await connected()
  proxy.delayMs = 20
  const started = performance.now()
  const answers = await Promise.all([1, 2, 3].map((n) => client.query('select $1::integer as n', [n])))
  assert.deepEqual(
    answers.map(({ rows }) => rows[0] as unknown),
    [{ n: 1 }, { n: 2 }, { n: 3 }],
  )
  assert(performance.now() - started >= 20)
  proxy.delayMs = 0
  proxy.freeze(true)
  let answered = false
  const frozen = client.query('select 1').then(() => (answered = true))
  assert.equal((await direct.query('select pg_sleep(0.1)')).rowCount, 1)
  assert.equal(answered, false)
  proxy.freeze(false)
  await frozen
  await client.end()
})
