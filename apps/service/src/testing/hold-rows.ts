import pg from 'pg'

/** Holds the row locks of a statement until the returned function is called. */
export async function holdRows(databaseUrl: string, lockingSql: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl })
  holder.on('error', () => undefined)
  await holder.connect()
  // A test that fails before it releases them must not make all others wait.
  await holder.query(`set idle_in_transaction_session_timeout = '3min'; begin`)
  await holder.query(lockingSql)
  return () => holder.end()
}
