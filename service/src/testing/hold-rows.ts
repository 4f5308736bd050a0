import pg from 'pg'

/** Holds the row locks of a statement until the returned function is called. */
export async function holdRows(databaseUrl: string, lockingSql: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query(lockingSql)
  return () => holder.end()
}
