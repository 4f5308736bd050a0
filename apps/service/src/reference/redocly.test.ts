import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const cli = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
const config = `${root}redocly.yaml`

for (const document of ['openapi.json', 'operator-openapi.json']) {
  test(`${document} follows Redocly's recommended rules, without warnings`, { timeout: 300_000 }, async () => {
    const report = await lint(document)
    assert.deepEqual(report.problems, [])
    assert.equal(report.totals.warnings + report.totals.errors, 0)
  })
}

interface Report {
  readonly totals: { readonly errors: number; readonly warnings: number }
  readonly problems: readonly object[]
}

/** Runs offline: neither reports that it was used nor looks for a newer version. */
function lint(document: string): Promise<Report> {
  const environment = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [cli, 'lint', '--config', config, '--format', 'json', root + document],
      { env: environment, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout) as Report)
        } catch {
          reject(error ?? new Error(stderr))
        }
      },
    )
  })
}
