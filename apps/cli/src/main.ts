#!/usr/bin/env node
/** `parts`: the command line for operators. */
import { enableCompileCache } from 'node:module'

enableCompileCache() // Before the other modules are loaded: later starts take less than half of the time.

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

const { main } = await import('./run.ts')
process.exitCode = await main(process.argv.slice(2))
