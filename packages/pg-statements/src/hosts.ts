/** The servers that a connection URL names, in libpq's notation: `postgres://user@one:5432,two:5433/db?target_session_attrs=read-write`. */
import { UnusableDatabase } from './trouble.ts'

export interface Hosts {
  /** One URL per server, without the parameters that are read here. */
  readonly urls: readonly string[]
  /** `target_session_attrs=read-write`: also statements that only read go to a server that accepts changes. */
  readonly readWriteOnly: boolean
}

/** Parameters by which the URL could replace settings of the session without a word. `pg` sends them when it connects. */
const timeouts = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout']

const attributes = ['any', 'read-write', 'primary']

export function readHosts(url: string, reserved: ReadonlySet<string>): Hosts {
  const [, scheme = '', credentials = '', hostList = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?/.exec(url) ?? []
  if (scheme === '') throw new UnusableDatabase('The database URL must begin with postgres://.')
  const parameters = new URLSearchParams(query)
  const repeated = [...parameters.keys()].find((name, at, all) => all.indexOf(name) < at)
  if (repeated !== undefined) throw new UnusableDatabase(`The database URL has ${repeated} more than once.`)
  refuseOverrides(parameters, reserved)
  const wanted = parameters.get('target_session_attrs') ?? 'any'
  if (!attributes.includes(wanted))
    throw new UnusableDatabase(
      `The database URL must not have target_session_attrs=${wanted}: use one of ${attributes.join(', ')}.`,
    )
  const servers = serversOf(hostList, parameters)
  for (const name of ['target_session_attrs', 'host', 'port']) parameters.delete(name)
  const urls = servers.map(({ host, port }) => {
    const own = new URLSearchParams(parameters)
    // A folder with a socket cannot stand in the place of a host.
    const isFolder = host.startsWith('/')
    if (isFolder) own.set('host', host)
    if (isFolder && port !== '') own.set('port', port)
    const address = isFolder ? '' : `${host}${port === '' ? '' : `:${port}`}`
    // `pg` reads %20 as a space, but not +.
    const rest = own.size === 0 ? '' : `?${own.toString().replaceAll('+', '%20')}`
    return `${scheme}${credentials}${address}${path}${rest}`
  })
  return { urls, readWriteOnly: wanted !== 'any' }
}

interface Server {
  readonly host: string
  readonly port: string
}

/** The list in the place of the host, or in the parameters `host` and `port`. */
function serversOf(hostList: string, parameters: URLSearchParams): Server[] {
  const hosts = parameters.get('host')?.split(',')
  const ports = parameters.get('port')?.split(',') ?? []
  const servers = (hosts ?? hostList.split(',')).map((text, i) => {
    const [, host = text, port = ''] = hosts ? [] : (/^(.*?)(?::(\d+))?$/.exec(text) ?? [])
    return { host, port: port !== '' ? port : (ports[i] ?? ports[0] ?? '') }
  })
  if (servers.length > 1 && servers.some(({ host }) => host === ''))
    throw new UnusableDatabase('The database URL has an empty host in its list of hosts.')
  return servers
}

/** Further options, such as a search path, are welcome; the settings that the statements rely on must hold. */
function refuseOverrides(parameters: URLSearchParams, reserved: ReadonlySet<string>): void {
  const options = parameters.get('options') ?? ''
  const named = [...options.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.-]+)\s*=/g)].map(([, name = '']) =>
    name.toLowerCase().replaceAll('-', '_'),
  )
  const given = [...named, ...timeouts.filter((name) => parameters.has(name))]
  const refused = given.filter((name) => reserved.has(name) || timeouts.includes(name))
  if (refused.length > 0)
    throw new UnusableDatabase(
      `The database URL must not set ${[...new Set(refused)].join(', ')}: the service sets this itself. Remove it from the URL.`,
    )
}
