import { isIP } from 'node:net'
import { ConfigError, readConfig, type Config } from '../config.ts'
import { readHosts } from 'pg-statements/hosts.ts'

/** The settings of a process that serves, or that keys and orders pass through: its database is not reached in plain text. */
export function readSettings(environment: NodeJS.ProcessEnv): Config {
  const config = readConfig(environment)
  const [host] = config.databaseTls ? hostsWithoutTls(config.databaseUrl, environment) : []
  if (host === undefined) return config
  throw new ConfigError([
    `DATABASE_URL leads to ${host} without TLS, so passwords and orders would cross the network in plain text: add sslmode=verify-full to it, or set DATABASE_TLS=off if the network is trusted.`,
  ])
}

// With the others, PostgreSQL's own programs go on without TLS if the server has none.
const encrypting = new Set(['require', 'verify-ca', 'verify-full', 'no-verify'])

/** The other machines that the URL leads to. As PostgreSQL's own programs, `pg` reads what it lacks from PGHOST and PGSSLMODE. */
function hostsWithoutTls(databaseUrl: string, { PGHOST = '', PGSSLMODE = '' }: NodeJS.ProcessEnv): string[] {
  return readHosts(databaseUrl, new Set()).urls.flatMap((text) => {
    const { hostname, searchParams } = new URL(text)
    const host = searchParams.get('host') ?? (decodeURIComponent(hostname) || PGHOST)
    return encrypting.has(searchParams.get('sslmode') ?? PGSSLMODE) || isThisMachine(host) ? [] : [host]
  })
}

/** A socket's folder is in the parameters, or begins with a slash. */
const isThisMachine = (host: string): boolean =>
  host === '' ||
  host.startsWith('/') ||
  host === '[::1]' ||
  host.toLowerCase() === 'localhost' ||
  (isIP(host) === 4 && host.startsWith('127.'))
