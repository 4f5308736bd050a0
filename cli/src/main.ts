#!/usr/bin/env node
/** `parts`: the distributor's side at a terminal. */
import { enableCompileCache } from 'node:module'

enableCompileCache() // Before the rest is loaded: from the second start on, that takes less than half of the time.

// A reader such as `head` may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const { main } = await import('./run.ts')
process.exitCode = await main(process.argv.slice(2))
