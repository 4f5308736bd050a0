/** A dump of a database and its restore, by PostgreSQL's own programs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { serverUrl } from './database.ts'

/** The reason to skip a test that needs a dump; false if it can be made. `pg_dump` refuses servers that are newer. */
export const withoutDump: string | false = whyImpossible()

export const dumpOf = (databaseUrl: string): Buffer =>
  execFileSync('pg_dump', ['--no-owner', '-d', databaseUrl], { maxBuffer: 1e9 })

export function restoreDump(dump: Buffer, emptyUrl: string): void {
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-d', emptyUrl], {
    input: dump,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
}

function whyImpossible(): string | false {
  const major = (program: string, ...args: string[]): number =>
    Number(/(\d+)\.\d+/.exec(spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '')?.[1])
  const [ofProgram, ofServer] = [major('pg_dump', '--version'), major('psql', '-Atc', 'show server_version', serverUrl)]
  if (Number.isNaN(ofProgram) || Number.isNaN(ofServer)) return 'There is no pg_dump or no psql.'
  return ofProgram < ofServer ? `pg_dump ${ofProgram} cannot read a server of version ${ofServer}.` : false
}
