/**
 * Takes the verbs of systemctl where systemd is not the first process, in tests and containers:
 * `node runner.ts SETTINGS_FOLDER enable --now parts@NAME`. It does not restart a process that ends.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'

const [folder = '', verb = '', ...rest] = process.argv.slice(2)
const name = /^parts@(\w+)$/.exec(rest.at(-1) ?? '')?.[1]
assert(name !== undefined, 'The unit must be parts@NAME.')
const pidFile = join(folder, `${name}.pid`)
const mainFile = join(import.meta.dirname, '../../apps/service/src/main.ts')

if (verb === 'enable' || verb === 'start') start()
else if (verb === 'disable' || verb === 'stop') await stop()
else if (verb === 'restart') {
  await stop()
  start()
} else assert.fail(`The verb ${verb} is not known.`)

function start(): void {
  if (runningPid() !== undefined) return
  const log = openSync(join(folder, `${name}.log`), 'a')
  const settings = parseEnv(readFileSync(join(folder, `${name}.env`), 'utf8'))
  const child = spawn(process.execPath, ['--max-semi-space-size=8', '--heap-growing-percent=50', mainFile, 'all'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...settings },
  })
  writeFileSync(pidFile, String(child.pid))
  child.unref()
}

async function stop(): Promise<void> {
  const pid = runningPid()
  if (pid !== undefined) process.kill(pid, 'SIGTERM')
  while (runningPid() !== undefined) await sleep(20)
  rmSync(pidFile, { force: true })
}

/** A number may have been given to another process since. */
function runningPid(): number | undefined {
  if (!existsSync(pidFile)) return undefined
  const pid = Number(readFileSync(pidFile, 'utf8'))
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8') // Empty for a process that has ended.
    return command.includes(mainFile) ? pid : undefined
  } catch {
    return undefined
  }
}
