import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { statements, type Statement } from 'pg-statements/statement.ts'
import { createTestDatabase, type TestDatabase } from './testing/database.ts'
import './commands/api.ts'
import './commands/worker.ts'

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client.end()
  await database.drop()
})

test("every statement takes and returns what it declares, by PostgreSQL's own description", async () => {
  assert(statements.size > 25, 'The statements are not registered.')
  const differing = []
  for (const statement of statements.values()) {
    const described = await describe(statement.text)
    const declares = {
      parameters: statement.order.map((name) => `${name} ${statement.parameters[name]?.name}`),
      columns: Object.entries(statement.columns)
        .map(([name, { name: type }]) => `${name} ${type}`)
        .toSorted(),
    }
    const has = {
      parameters: await Promise.all(
        described.parameters.map(async (oid, i) => `${statement.order[i]} ${await typeName(oid)}`),
      ),
      columns: (
        await Promise.all(
          described.columns.map(async ({ name, dataTypeID }) => `${name} ${await typeName(dataTypeID)}`),
        )
      ).toSorted(),
    }
    if (!isDeepStrictEqual(declares, has)) differing.push({ statement: statement.name, declares, has })
  }
  assert.deepEqual(differing, [])
})

test('a column that may be null in its table is not declared as never null', async () => {
  for (const statement of statements.values()) {
    for (const shown of (await describe(statement.text)).columns) {
      const column = await ofTable(shown)
      if (column.tableID === 0 || declared(statement, shown.name).nullable) continue
      const [attribute] = await database.query(
        'select attnotnull from pg_attribute where attrelid = $1 and attnum = $2',
        [column.tableID, column.columnID],
      )
      assert(attribute?.['attnotnull'] === true, `${statement.name}: ${shown.name} may be null`)
    }
  }
})

test('a statement is declared as reading if and only if PostgreSQL runs it in a read-only transaction', async () => {
  for (const { name, text, order, reads } of statements.values()) {
    await client.query('begin read only')
    const refused = await client
      .query(
        text,
        order.map(() => null),
      )
      .then(
        () => false,
        ({ code }: { code: string }) => code === '25006',
      )
    await client.query('rollback')
    assert.equal(refused, !reads, name)
  }
})

interface Column {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
}

/** The table's column that a view shows, if it is one. */
async function ofTable(column: Column): Promise<Column> {
  if (column.tableID === 0) return column
  const [view] = await database.query(
    `select pg_get_viewdef(oid) as text from pg_class where oid = $1 and relkind = 'v'`,
    [column.tableID],
  )
  if (view === undefined) return column
  const shown = (await describe(String(view['text']))).columns[column.columnID - 1]
  assert(shown)
  return ofTable(shown)
}

const declared = (statement: Statement, column: string) => {
  const type = statement.columns[column]
  assert(type)
  return type
}

/** Parse and Describe, without running the statement. */
function describe(text: string): Promise<{ parameters: number[]; columns: Column[] }> {
  return new Promise((resolve, reject) => {
    const described: { parameters: number[]; columns: Column[] } = { parameters: [], columns: [] }
    client.query({
      submit(connection: pg.Connection) {
        connection.once('parameterDescription', (message: { dataTypeIDs: number[] }) => {
          described.parameters = message.dataTypeIDs
        })
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: (message: { fields: Column[] }) => {
        described.columns = message.fields
      },
      handleReadyForQuery: () => resolve(described),
      handleError: (error: Error) => reject(error),
    } as unknown as pg.Submittable)
  })
}

const names = new Map<number, string>()

async function typeName(oid: number): Promise<string> {
  const known = names.get(oid)
  if (known !== undefined) return known
  const [row] = await database.query('select format_type($1::oid, null) as name', [oid])
  const name = String(row?.['name'])
  names.set(oid, name)
  return name
}
