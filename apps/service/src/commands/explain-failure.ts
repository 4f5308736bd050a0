/** What went wrong before a process could start, as a sentence that says what to check. */
import { StartProblem } from './start-problem.ts'
import { ConfigError } from '../config.ts'
import { MigrationProblem } from '../migrations/migration-problem.ts'
import { UnusableDatabase } from 'pg-statements/trouble.ts'

/** By SQLSTATE. The server's own message follows. */
const refusedByServer: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refused the user or the password in DATABASE_URL',
  '28000': 'PostgreSQL refused the user in DATABASE_URL',
  '3D000': 'The database in DATABASE_URL does not exist',
  '42501': 'The user in DATABASE_URL lacks a privilege',
  '53300': 'PostgreSQL has no connection left',
  '57P01': 'PostgreSQL ended the session',
  '57P02': 'PostgreSQL ended the session',
  '57P03': 'PostgreSQL is starting or stopping',
  '57014': 'PostgreSQL did not finish a statement in time',
  '25006': 'PostgreSQL accepts no changes',
  '42P01': 'The database has not been migrated: run npm run migrate',
}

const unreachable = /^(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/
const unresolved = /^(?:ENOTFOUND|EAI_\w+)$/
const untrusted = /CERT|SELF_SIGNED|ERR_TLS/

/** Undefined for an error that nobody expects: its stack helps to find the bug. */
export function explainFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ([ConfigError, MigrationProblem, StartProblem, UnusableDatabase].some((kind) => error instanceof kind))
    return error.message
  return explainConnection(error) ?? explainFailure(error.cause)
}

function explainConnection(error: NodeJS.ErrnoException & { hostname?: string; address?: string; port?: number }) {
  const { code = '', message, path, hostname, address, port } = error
  const refused = refusedByServer[code]
  if (refused !== undefined) return `${refused}: ${message}.`
  if (unresolved.test(code)) return `The host in DATABASE_URL cannot be found: ${hostname ?? message} (${code}).`
  if (code === 'ENOENT' && path !== undefined) return `Cannot read ${path}, which DATABASE_URL names (${code}).`
  if (unreachable.test(code)) {
    const at = address === undefined ? '' : ` at ${address}${port === undefined ? '' : `:${port}`}`
    return `PostgreSQL${at} cannot be reached (${code}): check DATABASE_URL, and that the server is running.`
  }
  if (untrusted.test(code)) return `PostgreSQL's certificate is not accepted: ${message} (${code}).`
  if (/does not support SSL|timeout expired|connection timeout|Connection terminated/i.test(message))
    return `Cannot connect to PostgreSQL: ${message.replace(/\.$/, '')}. Check DATABASE_URL.`
  return undefined
}
