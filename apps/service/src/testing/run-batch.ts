/** Runs the test files that it is given one after another, each as a suite: its hooks are its own. */
import { resolve } from 'node:path'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const closingMaxMs = 60_000 // A test that fails before it closes what it opened would keep the process running for ever.

for (const file of process.argv.slice(2))
  void suite(file, async () => void (await import(pathToFileURL(resolve(file)).href)))
after(() => void setTimeout(() => process.exit(), closingMaxMs).unref())
