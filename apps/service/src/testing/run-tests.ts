/**
 * Runs test files: `node run-tests.ts PATTERN...`. Two processes at a time run ten files each (`run-batch.ts`): a process
 * of its own for each file would spend more time on loading the service than on most files' tests. A campaign gets one for
 * itself. The output ends with what failed and, as its last line, the sums. A pattern without files, a file without tests
 * and a process that ends before it has printed its sums are failures too.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { globalSetup, globalTeardown } from './prepare.ts'

const atOnce = 2 // Each uses up to 40 connections of PostgreSQL's default of 100.
const filesPerBatch = 10
const testMaxMs = 20 * 60_000 // A test that waits for ever must not keep CI: it fails, and the next one runs.

const matched = process.argv.slice(2).map((pattern) => {
  const found = globSync(pattern, { exclude: ['**/node_modules/**', '**/dist/**'] })
  assert(found.length > 0, `No file matches ${pattern}`)
  return found
})
const files = [...new Set(matched.flat())].toSorted()
const isCampaign = (file: string): boolean => file.endsWith('.campaign.ts')
const others = files.filter((file) => !isCampaign(file))
const batches = files.filter(isCampaign).map((file) => [file])
for (let at = 0; at < others.length; at += filesPerBatch) batches.push(others.slice(at, at + filesPerBatch))

const counts = { pass: 0, fail: 0, skipped: 0 }
const failures: string[] = []

await globalSetup()
try {
  await Promise.all(Array.from({ length: atOnce }, runBatches))
} finally {
  await globalTeardown()
}

process.stdout.write(failures.join('\n'))
process.stdout.write(`${counts.pass} passed, ${counts.fail} failed, ${counts.skipped} skipped\n`)
if (counts.fail > 0 || counts.pass === 0) process.exitCode = 1

async function runBatches(): Promise<void> {
  for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) await runBatch(batch)
}

async function runBatch(batch: readonly string[]): Promise<void> {
  const program = `${import.meta.dirname}/run-batch.ts`
  const child = spawn(process.execPath, [`--test-timeout=${testMaxMs}`, program, ...batch], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: batch.length * testMaxMs, // For a file that waits for ever while it is loaded.
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [exitCode, signal] = await once(child, 'close')
  const lines = stripVTControlCharacters(output)
  const [reports = '', summary = ''] = lines.split(/^ℹ tests (?=\d+$)/m)
  process.stdout.write(reports)
  const countOf = (name: string): number => Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(summary)?.[1] ?? 0)
  const failed = countOf('fail') + countOf('cancelled')
  counts.pass += countOf('pass')
  counts.fail += failed
  counts.skipped += countOf('skipped')
  failures.push(/^✖ failing tests:\n([^]*)/m.exec(summary)?.[1] ?? '')
  const problem = failed > 0 ? undefined : problemOf()
  if (problem === undefined) return
  counts.fail++
  failures.push(`${problem}\n`)

  function problemOf(): string | undefined {
    const ended = `The process of ${batch.join(' ')} ended with ${signal ?? exitCode}`
    if (summary === '') return `${ended} before its tests did`
    const untested = batch.filter((file) => !`\n${reports}`.includes(`\n▶ ${file}\n`))
    if (untested.length > 0) return `No test ran in ${untested.join(' ')}`
    return exitCode === 0 ? undefined : `${ended} although no test failed`
  }
}
