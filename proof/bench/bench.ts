/** `npm run bench -- WORKLOAD`: finds the workload and runs it. */
import { isWrongUse, twoColumns, WrongUse, type Workload } from './workload.ts'

/** Each is a file in `workloads/`, in the order of the help. */
export const workloads: Readonly<Record<string, string>> = {
  run: 'compare each operation with PostgreSQL alone',
  hot: 'place orders that all take the same items from the same stock',
  growth: 'PostgreSQL CPU time per operation at several database sizes',
  instructions: 'instructions that PostgreSQL executes per operation, exactly',
  overload: 'orders and lists under three times the sustainable load',
  soak: "the service's memory under full load; WAL and disk an order",
  smoke: 'fail if an operation became much slower (for CI)',
  imports: 'imports compared with copy, and their effect on orders',
  webhooks: 'what webhooks cost clients that place orders',
  finding: "the operators' lists, searches and counts, and the export of all orders",
  console: "the console's pages in Chromium: time to the first rows",
  load: 'fill a database with generated orders, clients and items',
  explain: 'explain every SQL statement and fail on one that does not scale',
}

/** One by one: the help of all does not wait for the code of the service. */
export const loadWorkload = async (name: string): Promise<Workload> =>
  ((await import(`./workloads/${name}.ts`)) as { default: Workload }).default

const overview = [
  'Measures the service, alone and against PostgreSQL without it.',
  '',
  'Usage: npm run bench -- [WORKLOAD] [OPTIONS]',
  '',
  ...twoColumns(Object.entries(workloads)),
  '',
  'Without a workload, `run` is used.',
  'npm run bench -- WORKLOAD --help shows its options.',
  'proof/bench/README.md explains the results.',
  '',
  'DATABASE_URL is the PostgreSQL server to use',
  '(default: postgres://postgres@127.0.0.1:5432/parts_bench).',
  '',
].join('\n')

const isHelp = (word: string): boolean => word === '--help' || word === '-h'

async function main(args: readonly string[]): Promise<void> {
  const [first = ''] = args
  if (isHelp(first)) return void process.stdout.write(overview)
  const [name, rest] = first === '' || first.startsWith('-') ? ['run', args] : [first, args.slice(1)]
  const summary = workloads[name]
  if (summary === undefined) throw new WrongUse(`There is no workload '${name}'.`)
  const workload = await loadWorkload(name)
  if (rest.some(isHelp)) process.stdout.write(workload.help(name, summary))
  else await workload.start(name, rest)
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2))
  } catch (error) {
    if (!isWrongUse(error)) throw error
    const [sentence = ''] = error.message.split(/(?<=\.) |\n/)
    process.stderr.write(`bench: ${sentence}\nSee npm run bench -- --help.\n`)
    process.exitCode = 2
  }
}
