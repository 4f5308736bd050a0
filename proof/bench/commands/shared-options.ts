/** Options that several subcommands share. */
import type { BenchOptions } from '../subcommand.ts'

export const databaseOptions = {
  size: {
    type: 'string',
    default: '1000000',
    value: 'ORDERS',
    meaning: 'size of the database: 2000, 10000, 1000000 or 10000000 orders; loaded first if it does not exist',
  },
  database: { type: 'string', value: 'NAME', meaning: 'use this loaded database (name or URL) instead' },
} as const satisfies BenchOptions

export const roundOptions = {
  rounds: { type: 'string', default: '5', value: 'N', meaning: 'rounds; the result is their median' },
  seconds: {
    type: 'string',
    value: 'N',
    meaning: 'seconds per measurement (default: 5, with --json 2)',
  },
} as const satisfies BenchOptions

/** Options of the subcommands that compare operations bare and through the service. */
export const comparisonOptions = {
  half: {
    type: 'boolean',
    default: false,
    meaning: 'measure latencies at half of the peak rate, too (without --json, always)',
  },
  rate: {
    type: 'string',
    value: 'N',
    meaning: 'measure at N operations per second on both sides, instead of as many as possible',
  },
  nice: {
    type: 'string',
    default: '0',
    value: 'N',
    meaning: 'priority of the service; deploy/systemd has --nice=-10, and below 0 needs root',
  },
} as const satisfies BenchOptions

export const jsonOption = {
  json: { type: 'boolean', default: false, meaning: 'print only the results, as JSON' },
} as const satisfies BenchOptions

/** Prints text unless only JSON is requested. */
export const printUnless =
  (json: boolean) =>
  (text: string): void =>
    void (json || process.stdout.write(text))
