import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wordsScannedMax } from './list-clients.ts'
import { addClient, addFixtures } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

/** The ids on each page. */
async function pages(search: string, limit = 100): Promise<number[][]> {
  const all: number[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = new URLSearchParams({ search, limit: String(limit), cursor }).toString()
    const answer = await service.request('GET', `/operator/v1/clients/?${query}`, { key: operators.keys.viewer })
    assert.equal(answer.status, 200, answer.text)
    all.push(answer.body.data.map(({ client_id }: { client_id: number }) => client_id))
    cursor = answer.body.paging?.next_cursor ?? null
  }
  return all
}

const found = async (search: string): Promise<number[]> => (await pages(search)).flat()

test('a client is found by the beginning of any word of its name, by its contacts and by its id, once', async () => {
  const { client_id } = await addClient(service, { name: 'Müller & Söhne Kfz-Teile GmbH' })
  const { client_id: other } = await addClient(service, { name: 'Kfz Kfz-Mühlen' })
  const { contact_id } = await operators.ok('POST', `/operator/v1/clients/${client_id}/contacts/`, {
    contact_name: 'Jörg Kfzmann',
    contact_email: 'Einkauf@Mueller-Soehne.example',
  })
  for (const search of ['mül', 'MÜLLER gmbh', 'söhne kfz', 'teile müller', 'kfz-teile', 'jörg', 'einkauf@mueller'])
    assert.deepEqual(await found(search), [client_id], search)
  for (const search of ['mueller-soehne.example', 'soehne', String(client_id)])
    assert.deepEqual(await found(search), [client_id], search)
  assert.deepEqual(await found('kfz'), [client_id, other])
  assert.deepEqual(await pages('kfz', 1), [[client_id], [other]])
  assert.deepEqual(await found('mü'), [other, client_id]) // By the word found: mühlen, then müller.
  for (const search of ['ller', 'müller berlin', '%', 'müller_']) assert.deepEqual(await found(search), [], search)

  await operators.ok('PATCH', `/operator/v1/clients/${client_id}/`, { client_name: 'Brandt Autoteile' })
  await operators.ok('POST', `/operator/v1/clients/${client_id}/contacts/${contact_id}/erase/`)
  assert.deepEqual(await found('brandt'), [client_id])
  for (const search of ['müller', 'jörg', 'einkauf', 'soehne']) assert.deepEqual(await found(search), [], search)
  await service.checkInvariants()
})

test('a search for common words examines a bounded number of them per page and finds everything', async () => {
  await service.sql(
    `insert into clients (client_name) select 'Common ' || case n % 1000 when 0 then 'rarely' else 'Rest' end
     from generate_series(1, $1) n`,
    [2 * wordsScannedMax + 500],
  )
  const all = await pages('common r', 500)
  assert.equal(new Set(all.flat()).size, 2 * wordsScannedMax + 500)
  const some = await pages('common rarely')
  assert.equal(some.flat().length, 4)
  await service.sql(`update clients set client_name = 'Rarely ' || client_name where client_name like 'Common%'`)
  assert.deepEqual((await pages('rarely common re')).flat().length, 2 * wordsScannedMax + 500 - 4)
})
