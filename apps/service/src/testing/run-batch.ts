/** Runs the test files that it is given one after another, each as a suite: its hooks are its own. */
import { resolve } from 'node:path'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const closingMaxMs = 60_000 // A test that fails before it closes what it opened would keep the process running for ever.

after(() => void setTimeout(() => process.exit(), closingMaxMs).unref())
for (const file of process.argv.slice(2)) {
  // Each is loaded after the last: the tests of two files that wait for the same import would be in the suite of one.
  const { promise: loaded, resolve: goOn } = Promise.withResolvers<void>()
  void suite(file, async () => void (await import(pathToFileURL(resolve(file)).href).finally(goOn)))
  await loaded
}
