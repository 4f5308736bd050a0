import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadWorkload, workloads } from './bench.ts'
import { databaseUrl } from './load/databases.ts'

interface Exited {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function bench(...args: string[]): Promise<Exited> {
  const { promise, resolve } = Promise.withResolvers<Exited>()
  // No server listens there: these commands must not need one.
  const env = { ...process.env, DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }
  execFile(process.execPath, [join(import.meta.dirname, 'bench.ts'), ...args], { env }, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
  )
  return promise
}

test('--help lists every workload, and each workload shows its own help', async () => {
  const overview = await bench('--help')
  assert.deepEqual([overview.code, overview.stderr], [0, ''])
  for (const [name, summary] of Object.entries(workloads)) {
    assert(overview.stdout.includes(`\n  ${name} `), `${name}: ${summary}`)
    const help = (await loadWorkload(name)).help(name, summary)
    assert.deepEqual(help.split('\n').filter((line) => line.length > 100), []) // prettier-ignore
  }
  assert.deepEqual(await bench('run', '--help'), await bench('--only', 'read-order', '--help'))
  const { stdout } = await bench('growth', '--help')
  for (const option of ['sizes', 'only', 'rounds', 'seconds', 'json', 'help'])
    assert(stdout.includes(`\n  --${option}`))
})

test('an unknown workload, option or value is refused with exit code 2, before a database is opened', async () => {
  const wrong: [string[], RegExp][] = [
    [['walk'], /^bench: There is no workload 'walk'\.\n/],
    [['run', '--colour'], /^bench: Unknown option '--colour'\.?/],
    [['--only', 'fly'], /^bench: There is no operation 'fly'; there are read-order, /],
    [['growth', '--only', 'fly'], /^bench: There is no operation 'fly'/],
    [['--rounds', '0', '--json'], /^bench: --rounds must be an integer from 1 to 9999, not '0'\.\n/],
    [['--size', '17'], /^bench: The sizes are 2000, 10000, 1000000, 10000000, not '17'\.\n/],
    [['smoke', '--records'], /^bench: Unknown option '--records'/],
    [['load', '--clients', '15'], /^bench: --clients must be a multiple of ten/],
    [['explain', '--compare', 'one.json'], /^bench: --compare needs two files/],
  ]
  for (const [args, message] of wrong) {
    const { code, stdout, stderr } = await bench(...args)
    assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
  }
})

test('a database given by its name is on the server of DATABASE_URL, with the same parameters', () => {
  const before = process.env['DATABASE_URL']
  process.env['DATABASE_URL'] = 'postgres://one@two:5433/three?sslmode=require'
  try {
    assert.equal(databaseUrl('four'), 'postgres://one@two:5433/four?sslmode=require')
    assert.equal(databaseUrl(undefined), 'postgres://one@two:5433/three?sslmode=require')
    assert.equal(databaseUrl('postgres://five/six'), 'postgres://five/six')
  } finally {
    if (before === undefined) delete process.env['DATABASE_URL']
    else process.env['DATABASE_URL'] = before
  }
})
