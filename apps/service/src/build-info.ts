import { Gauge } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import { migrationNames } from './migrations/migration-files.ts'

export const serviceVersion = packageJson.version

const buildInfo = new Gauge({
  name: 'parts_build_info',
  help: 'Always 1. The version of the service, the newest migration that it knows, and the version of Node.',
  labelNames: ['version', 'schema', 'node'],
  aggregator: 'max', // Of several processes.
})
buildInfo.set({ version: serviceVersion, schema: migrationNames.at(-1) ?? '', node: process.versions.node }, 1)
