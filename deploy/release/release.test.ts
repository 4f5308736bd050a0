/** A release is made in a clone, up to the point of publishing. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('a release has one version everywhere, a dated changelog, a tag, a tarball, an SBOM and checksums', () => {
  const clone = mkdtempSync(join(tmpdir(), 'parts-release-'))
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: clone, encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    execFileSync('git', ['clone', '-q', root, clone])
    run('git', 'config', 'user.name', 'Test')
    run('git', 'config', 'user.email', 'test@example.org')
    const title = /^## (.*)$/m.exec(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'))?.[1]
    const script = join(import.meta.dirname, 'release.ts')
    // The first section is the one that is released: Unreleased, or the version that it names.
    const version = title === 'Unreleased' ? '9.8.7' : (title ?? '')
    const tried = spawnSync(process.execPath, [script, version], { cwd: clone, encoding: 'utf8' })
    assert.equal(tried.status, 0, tried.stderr)
    for (const file of ['package.json', 'service/package.json', 'cli/package.json'])
      assert.equal((JSON.parse(readFileSync(join(clone, file), 'utf8')) as { version: string }).version, version)
    assert.match(run('git', 'show', `v${version}:CHANGELOG.md`), new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm')) // prettier-ignore
    assert.equal(run('git', 'status', '--porcelain', '--untracked-files=no'), '')
    const out = join(clone, 'deploy/release/out')
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out })
    const files = run('tar', '-tzf', join(out, `parts-ordering-service-${version}.tar.gz`))
    assert(files.includes(`parts-ordering-service-${version}/service/src/main.ts`))
    assert.match(readFileSync(join(out, `parts-ordering-service-${version}.cdx.json`), 'utf8'), /"name": "fastify"/)
    // A second time is refused.
    assert.equal(spawnSync(process.execPath, [script, version], { cwd: clone }).status, 1)
  } finally {
    rmSync(clone, { recursive: true })
  }
})
