import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseDigest } from './database-digest.ts'
import { startService, type TestService } from './service.ts'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

test('the digest changes with a row of any table, also of a table that was added later', async () => {
  await service.sql('create table added_later (n integer)')
  const before_ = await databaseDigest(service)
  await service.sql('insert into added_later values (1)')
  const after_ = await databaseDigest(service)
  const changed = Object.keys(after_).filter((table) => after_[table] !== before_[table])
  assert.deepEqual(changed, ['added_later'])
  assert(Object.keys(after_).length > 30)
})
