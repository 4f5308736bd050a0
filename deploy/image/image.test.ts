/** What can be said of the image without building it; `npm run try:image` builds and runs it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const dockerfile = textOf('deploy/image/Dockerfile')
const { version, workspaces } = JSON.parse(textOf('package.json')) as { version: string; workspaces: string[] }

test('the image has the Node of .node-version and the version of package.json', () => {
  assert.equal(/^ARG NODE_VERSION=(.*)$/m.exec(dockerfile)?.[1], textOf('.node-version').trim())
  assert.equal(/^ARG VERSION=(.*)$/m.exec(dockerfile)?.[1], version)
})

test('npm ci finds the package.json of every workspace, in the build and past the ignore file', () => {
  const ignore = textOf('deploy/image/Dockerfile.dockerignore').split('\n')
  for (const workspace of workspaces) {
    assert(dockerfile.includes(`COPY ${workspace}/package.json ${workspace}/`), workspace)
    const [top = ''] = workspace.split('/')
    assert(ignore.includes(`!${top}`) || ignore.includes(`!${workspace}/package.json`), workspace)
  }
})

test('everything that is copied from the repository exists', () => {
  const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '))
  assert(copies.length > 10)
  assert.deepEqual(copies.filter((file) => !existsSync(join(root, file))), []) // prettier-ignore
})

test('the processes run as an ordinary user, from an image without a shell, with Node as process 1', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  assert.match(last, /^\nFROM scratch$/m)
  assert.match(last, /^USER 10001:10001$/m)
  assert.match(last, /^ENTRYPOINT \["node"\]$/m)
  assert.doesNotMatch(last, /^RUN /m)
  const start = /^CMD (\[.*\])$/m.exec(last)?.[1]
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: { start: string } }
  assert.equal(`exec node ${(JSON.parse(start ?? '[]') as string[]).join(' ')}`, scripts.start)
})
