/** The process of a distributor on a server: its settings file, its unit, and where Prometheus finds it. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { urlAs } from './database.ts'
import { writeWhole, type Distributor } from './directory.ts'
import { FleetProblem, serverNamed, type Fleet, type FleetServer } from './fleet-config.ts'

export const portOf = (fleet: Fleet, { number }: Distributor, server: string): number =>
  serverNamed(fleet, server).ports + 2 * number

/** `databases` are the servers that may have its database. */
export async function startProcess(
  fleet: Fleet,
  distributor: Distributor,
  serverName: string,
  databases: readonly string[],
): Promise<void> {
  const server = serverNamed(fleet, serverName)
  await writeSettings(fleet, distributor, serverName, databases)
  await onMachine(server, `${server.systemctl} enable --now parts@${distributor.name}`)
}

export async function writeSettings(
  fleet: Fleet,
  distributor: Distributor,
  serverName: string,
  databases: readonly string[],
): Promise<void> {
  const server = serverNamed(fleet, serverName)
  const port = portOf(fleet, distributor, serverName)
  const settings = {
    POOL_SIZE: '4',
    SHUTDOWN_DELAY_MS: '0', // The proxy sends nothing more when a process is stopped.
    ...fleet.config.environment,
    DATABASE_URL: urlAs('service', distributor, ...databases.map((name) => serverNamed(fleet, name))),
    HOST: server.address,
    PORT: String(port),
    METRICS_PORT: String(port + 1),
    TRUSTED_PROXIES: fleet.config.proxy.address,
  }
  const file = settingsFile(server, distributor)
  const text = Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
  await onMachine(server, `umask 077 && mkdir -p ${server.settings} && cat > ${file}.next && mv ${file}.next ${file}`, text)
} // prettier-ignore

export async function stopProcess(fleet: Fleet, distributor: Distributor, serverName: string): Promise<void> {
  const server = serverNamed(fleet, serverName)
  await onMachine(server, `${server.systemctl} disable --now parts@${distributor.name}`)
}

export async function removeSettings(fleet: Fleet, distributor: Distributor, serverName: string): Promise<void> {
  const server = serverNamed(fleet, serverName)
  await onMachine(server, `rm -f ${settingsFile(server, distributor)} ${settingsFile(server, distributor)}.next`)
}

export async function restartProcess(fleet: Fleet, distributor: Distributor): Promise<void> {
  const server = serverNamed(fleet, distributor.server)
  await onMachine(server, `${server.systemctl} restart parts@${distributor.name}`)
}

const settingsFile = ({ settings }: FleetServer, { name }: Distributor): string => `${settings}/${name}.env`

const readyMaxMs = 60_000

export async function waitUntilReady(fleet: Fleet, distributor: Distributor, serverName: string): Promise<void> {
  const deadline = performance.now() + readyMaxMs
  let problem = ''
  while (performance.now() < deadline) {
    problem = await readiness(fleet, distributor, serverName)
    if (problem === '') return
    await sleep(25)
  }
  throw new FleetProblem(`The process of ${distributor.name} on ${serverName} is not ready: ${problem}`)
}

/** Why it is not ready; empty if it is. */
export async function readiness(fleet: Fleet, distributor: Distributor, serverName: string): Promise<string> {
  const { address } = serverNamed(fleet, serverName)
  try {
    const answer = await fetch(`http://${address}:${portOf(fleet, distributor, serverName)}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5_000),
    })
    return answer.ok ? '' : await answer.text()
  } catch (error) {
    return String((error as Error).cause ?? error)
  }
}

/** The file that makes Prometheus scrape it, with the label by which the alerts tell distributors apart. */
export function scrape(fleet: Fleet, distributor: Distributor): void {
  const { name, server } = distributor
  const { address } = serverNamed(fleet, server)
  const targets = [`${address}:${portOf(fleet, distributor, server) + 1}`]
  mkdirSync(fleet.config.targets, { recursive: true })
  writeWhole(
    join(fleet.config.targets, `${name}.json`),
    `${JSON.stringify([{ targets, labels: { installation: name, server } }])}\n`,
  )
}

export const scrapeNoMore = ({ config }: Fleet, { name }: Distributor): void =>
  rmSync(join(config.targets, `${name}.json`), { force: true })

/** Runs a command on the machine of a server. */
function onMachine({ shell }: FleetServer, command: string, input = ''): Promise<void> {
  const [program = '', ...args] = shell
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args, command], (error, _, stderr) =>
      error === null ? resolve() : reject(new FleetProblem(`${command.split(' ', 3).join(' ')}: ${stderr.trim() || error.message}`)),
    ) // prettier-ignore
    child.stdin?.on('error', () => undefined).end(input)
  })
}
