/** The PostgreSQL settings that every session has, whatever the server, the role or the URL say. */
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { DriverSettings } from './engine/driver.ts'

type Wanted = Pick<DriverSettings, 'timeZone' | 'statementTimeoutMs' | 'sessionSettings'>

/**
 * A statement that waits for a lock ends after this part of the statement timeout: the caller gets an answer within its
 * deadline, and the connection is free again.
 */
const lockPart = 0.6

/**
 * The generic plan is right, since all statements look rows up by key and planning costs more than running. It is made for
 * any values, so PostgreSQL expects many rows where a page has few, and would read a whole table to hash or merge it:
 * both are off, and rows are looked up one by one. What they look up is in memory or on an SSD: with PostgreSQL's
 * default, made for spinning disks, small tables are read whole.
 * The session's time zone is the service's, so that PostgreSQL prints and reads days as clients mean them.
 */
function sessionSettings({ timeZone, statementTimeoutMs, sessionSettings: more = [] }: Wanted): Map<string, string> {
  return new Map([
    ['plan_cache_mode', 'force_generic_plan'],
    ['jit', 'off'],
    ['random_page_cost', '1.1'],
    ['enable_hashjoin', 'off'],
    ['enable_mergejoin', 'off'],
    ['DateStyle', 'ISO'],
    ['TimeZone', timeZone],
    ['statement_timeout', String(statementTimeoutMs)],
    ['lock_timeout', String(Math.ceil(statementTimeoutMs * lockPart))],
    ...more.map((setting): [string, string] => {
      const at = setting.indexOf('=')
      return [setting.slice(0, at), setting.slice(at + 1)]
    }),
  ])
}

/** As options of a connection that `libpq` opens, for pgbench. */
export const sessionOptions = (wanted: Wanted): string =>
  [...sessionSettings(wanted)].map(([name, value]) => `-c ${name}=${value}`).join(' ')

/** Sent first on every connection, because poolers drop options of the connection and a URL could replace them. */
export const sessionCommands = (wanted: Wanted): string =>
  [...sessionSettings(wanted)]
    .map(([name, value]) => `set ${escapeIdentifier(name)} = ${escapeLiteral(value)}`)
    .join('; ')

/** The names in lower case. */
export const sessionSettingNames = (wanted: Wanted): ReadonlySet<string> =>
  new Set([...sessionSettings(wanted).keys()].map((name) => name.toLowerCase()))
