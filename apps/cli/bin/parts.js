#!/usr/bin/env node
// Starts the program: from its source in the repository, from JavaScript where it is installed. Node does not strip types
// below node_modules.
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)
await import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href)
