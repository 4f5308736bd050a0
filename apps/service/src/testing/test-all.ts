/** Runs all tests: `npm test`, those of everything else, and the campaigns. The output ends with what failed and, as its last line, the sums. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

const counts = { pass: 0, fail: 0, cancelled: 0 }
let failures = ''

for (const script of ['test', 'test:rest', 'test:campaigns']) {
  const child = spawn('npm', ['run', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    output = (output + text).slice(-1_000_000) // Only the failed tests follow the summary.
  })
  const [exitCode] = await once(child, 'close')
  if (exitCode !== 0) process.exitCode = 1
  const lines = stripVTControlCharacters(output)
  for (const name of ['pass', 'fail', 'cancelled'] as const)
    counts[name] += Number(new RegExp(`^\\S ${name} (\\d+)$`, 'm').exec(lines)?.[1] ?? 0)
  failures += /^\S failing tests:$[^]*/m.exec(lines)?.[0] ?? ''
}

process.stdout.write(failures)
process.stdout.write(`${counts.pass} passed, ${counts.fail + counts.cancelled} failed\n`)
