/** A few connections that process a list of tasks together. */
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import type { Sizes } from './sizes.ts'

export type Task = (session: Client) => Promise<number>

export interface Sessions {
  readonly first: Client
  each<T>(tasks: readonly T[], oneByOne: boolean, run: (task: T, session: Client) => Promise<void>): Promise<void>
  close(): Promise<void>
}

const sessionCount = 2 // As many as the reference machine has cores.

export async function openSessions(connectionString: string, sizes: Sizes): Promise<Sessions> {
  const first = new Client({ connectionString })
  const sessions = [first, ...Array.from({ length: sessionCount - 1 }, () => new Client({ connectionString }))]
  for (const session of sessions) {
    await session.connect()
    await session.query(readSql('session', sizes))
  }

  async function each<T>(
    tasks: readonly T[],
    oneByOne: boolean,
    run: (task: T, session: Client) => Promise<void>,
  ): Promise<void> {
    const waiting = tasks.values()
    await Promise.all(
      (oneByOne ? [first] : sessions).map(async (session) => {
        for (const task of waiting) await run(task, session)
      }),
    )
  }

  return { first, each, close: async () => void (await Promise.all(sessions.map((session) => session.end()))) }
}

/** The text of a step with its numbers inserted: definitions of tables and functions take no parameters. */
export function readSql(name: string, numbers: Readonly<Record<string, number>>): string {
  return prepareSql(name)(numbers)
}

/** The same for many batches of one step. */
export function prepareSql(name: string): (numbers: Readonly<Record<string, number>>) => string {
  const text = readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8').replace(/--[^\n]*/g, '')
  return (numbers) =>
    text.replace(/(?<!:):([a-z_]+)/g, (_, parameter: string) => {
      const number = numbers[parameter]
      if (number === undefined || !Number.isSafeInteger(number)) throw new Error(`${name}.sql needs :${parameter}.`)
      return String(number)
    })
}
