/**
 * Loaded before each test file by the scripts that run all tests. A test that fails before it closes what it opened would
 * keep its file running for ever. Node's `--test-force-exit` ends such a file, but also loses the last reports of others.
 */
import { after } from 'node:test'

const closingMaxMs = 60_000 // The file's own hooks run within this time.

// The runner loads this too, and has no tests.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  after(() => void setTimeout(() => process.exit(), closingMaxMs).unref())
