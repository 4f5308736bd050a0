/** The map of HAProxy: where the requests of each host go. Changed in the file, and in the running proxies. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { readDirectory, writeWhole, type Distributor } from './directory.ts'
import { serverNamed, type Fleet } from './fleet-config.ts'
import { portOf } from './process.ts'

/** In this state of the directory. `moving` and `suspended` get 503, with when to try again. */
export function targetOf(fleet: Fleet, distributor: Distributor): string {
  const { state, server, move } = distributor
  if (state !== 'running') return 'suspended'
  if (move?.step === 'fence' || move?.step === 'open') return 'moving'
  return `${serverNamed(fleet, server).address}:${portOf(fleet, distributor, server)}`
}

/** Brings the map up to date for one distributor, after its entry of the directory was recorded or removed. */
export async function route(
  fleet: Fleet,
  { name, host }: { readonly name: string; readonly host: string },
): Promise<void> {
  // prettier-ignore
  const { map, sockets } = fleet.config.proxy
  for (;;) {
    const text = textOfMap(fleet)
    if (!existsSync(map) || readFileSync(map, 'utf8') !== text) writeWhole(map, text)
    const target = entriesOf(fleet).get(host)
    for (const socket of sockets) await setEntry(socket, map, host, target)
    // Another command may have changed its entry, and may have written the map before we did.
    if (textOfMap(fleet) === text) return
    fleet.step(`map of ${name} again`)
  }
}

const entriesOf = (fleet: Fleet): Map<string, string> =>
  new Map(
    readDirectory(fleet)
      .filter(({ state }) => state !== 'deleting')
      .map((distributor) => [distributor.host, targetOf(fleet, distributor)]),
  )

const textOfMap = (fleet: Fleet): string => [...entriesOf(fleet)].map(([host, target]) => `${host} ${target}\n`).join('') // prettier-ignore

async function setEntry(socket: string, map: string, host: string, target: string | undefined): Promise<void> {
  const shown = await command(socket, `show map ${map}`)
  const known = shown.split('\n').flatMap((line) => {
    const [, key = '', value = ''] = line.split(' ')
    return key === host ? [value] : []
  })
  if (target === undefined) {
    if (known.length > 0) await command(socket, `del map ${map} ${host}`)
  } else if (known.length === 0) await command(socket, `add map ${map} ${host} ${target}`)
  else if (known.some((value) => value !== target)) await command(socket, `set map ${map} ${host} ${target}`)
}

async function command(socket: string, line: string): Promise<string> {
  const connection = createConnection(socket).setEncoding('utf8')
  let answer = ''
  connection.on('data', (text: string) => (answer += text))
  connection.end(`${line}\n`)
  await once(connection, 'close')
  if (!line.startsWith('show') && answer.trim() !== '') throw new Error(`HAProxy: ${line}: ${answer.trim()}`)
  return answer
}
