/** For the page of metrics and for tests: what postgres.yml and the backups export. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

type Queries = Record<string, { metrics: Record<string, { usage: string; description: string }>[] }>

const ofBackups = {
  name: 'parts_backup_completed_timestamp_seconds',
  help: 'When the last backup was completed. Written by `parts-backup@.service`.',
  labelNames: [],
  kind: 'gauge',
}

export function postgresMetrics(): { name: string; help: string; labelNames: string[]; kind: string }[] {
  const queries = parse(readFileSync(join(import.meta.dirname, 'postgres.yml'), 'utf8')) as Queries
  const asked = Object.entries(queries).flatMap(([name, { metrics }]) => {
    const columns = metrics.flatMap((metric) => Object.entries(metric))
    const labelNames = columns.filter(([, { usage }]) => usage === 'LABEL').map(([column]) => column)
    return columns
      .filter(([, { usage }]) => usage !== 'LABEL')
      .map(([column, { usage, description }]) => ({ name: `${name}_${column}`, help: description, labelNames, kind: usage.toLowerCase() })) // prettier-ignore
  })
  return [...asked, ofBackups]
}
