/** Programs that may stand beside the service: PgBouncer and Redis. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync, chmodSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, serverAccount } from 'pg-statements/testing-cluster.ts'

export interface Companion {
  readonly url: string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Kills it and starts it again. */
  readonly restart: (downMs: number) => Promise<void>
  readonly kill: () => void
}

const poolerProgram = '/usr/sbin/pgbouncer'
const redisProgram = '/usr/bin/redis-server'

const missing =
  (program: string): (() => string | undefined) =>
  () =>
    existsSync(program) ? undefined : `${program} must be installed.`
export const poolerMissing = missing(poolerProgram)
export const redisMissing = missing(redisProgram)

/** In session mode: the service refuses transaction mode. */
export async function startPooler(databaseUrl: string): Promise<Companion> {
  const port = await freePort()
  const target = new URL(databaseUrl)
  const database = target.pathname.slice(1)
  const folder = mkdtempSync(join(tmpdir(), 'parts-pooler-'))
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${database} = host=${target.hostname} port=${target.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = session
default_pool_size = 50
ignore_startup_parameters = extra_float_digits,options
unix_socket_dir =
`,
  )
  const url = new URL(databaseUrl)
  url.port = String(port)
  return companion(port, url.href, () => spawn(poolerProgram, [file], { ...serverAccount(), stdio: 'ignore' }))
}

export async function startRedis(): Promise<Companion> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return companion(port, `redis://127.0.0.1:${port}`, () =>
    spawn(redisProgram, args, { stdio: 'ignore', cwd: tmpdir() }),
  )
}

async function companion(port: number, url: string, start: () => ChildProcess): Promise<Companion> {
  let child = start()
  await listening(port)
  return {
    url,
    signal: (signal) => void child.kill(signal),
    restart: async (downMs) => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await sleep(downMs)
      child = start()
      await listening(port)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await sleep(20)
  }
}
