import pg from 'pg'

/** Holds the rows that the statement locks until it is released. */
export async function holdRows(databaseUrl: string, lockingSql: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query(lockingSql)
  return () => holder.end()
}
