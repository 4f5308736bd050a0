/** The service's side: wrk sends requests with real keys over persistent connections. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchKey } from '../load/bench-keys.ts'
import { connections, workers, type Bench, type Material, type Operation } from './operation.ts'
import { runProgram, type StartedProgram } from './program.ts'
import { latenciesOf, percentages, type Latencies } from './figures.ts'
import type { Throughput } from './pgbench.ts'
import { forLua, luaPrelude, luaText } from './translate.ts'

export interface ServiceRate extends Throughput, Latencies {
  /** 4xx and 5xx responses, and broken connections. */
  readonly failed: number
}

export interface Load {
  readonly address: string
  readonly seconds: number
  readonly started?: (wrk: StartedProgram) => void
  /** Default: the usual number. */
  readonly connections?: number | undefined
  /** An open-loop load; without it, each connection sends its next request as soon as it has a response. */
  readonly paced?: Pace | undefined
}

export interface Pace {
  readonly perSecond: number
  /** The expected latency: a connection's pause is shorter by it. */
  readonly latencyMs: number
}

export async function runWrk(
  bench: Bench,
  operation: Operation,
  material: Material | undefined,
  load: Load,
): Promise<ServiceRate> {
  if (material?.draws) await writeDraws(bench, material.draws.columns)
  // One thread, so that requests use the material in order. wrk needs a fraction of a core.
  const { paced } = load
  const script = scriptOf(bench, operation, material)
  if (paced === undefined)
    return runScript(bench, load, script, { threads: 1, connections: load.connections ?? connections })
  const many = load.connections ?? pacedConnections
  return runScript(bench, load, `${script}\n${pauses(paced, many)}`, { threads: 1, connections: many })
}

/** Enough that another request can nearly always be sent while others wait for their responses. */
const pacedConnections = 64

/** Pauses of exponentially distributed length, as between requests of independent clients. */
export const pauses = ({ perSecond, latencyMs }: Pace, among: number): string => `
local pause = ${Math.max(0, (among / perSecond) * 1000 - latencyMs)}
function delay() return floor(-math.log(1 - math.random()) * pause + 0.5) end`

let scripts = 0

export async function runScript(
  { folder }: Bench,
  { address, seconds, started }: Load,
  script: string,
  use: { threads: number; connections: number },
): Promise<ServiceRate> {
  const file = join(folder, `service-${scripts++}.lua`) // Two loads may run at the same time.
  writeFileSync(file, `${luaPrelude}\nmath.randomseed(os.time())\n${readers(folder)}\n${script}\n${reportLua}`)
  const measureOnce = async (): Promise<WrkReport> => {
    const output = await runProgram(
      'wrk',
      [`-t${use.threads}`, `-c${use.connections}`, `-d${seconds}s`, '--timeout=10s', '-s', file, address],
      { started },
    )
    return JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? '') as WrkReport
  }
  let report = await measureOnce()
  // Other programs may leave nothing of a short round.
  for (let attempt = 1; report.requests === 0 && attempt < 3; attempt++) report = await measureOnce()
  const { requests, micros, failed, percentiles } = report
  assert(requests && micros && percentiles[0], `wrk reported no result: ${JSON.stringify(report)}`)
  const latencies = latenciesOf(percentiles.map((each) => each / 1000))
  return { completed: requests, failed, perSecond: (requests / micros) * 1e6, ...latencies }
}

/** Times in microseconds. */
type WrkReport = Readonly<Record<'requests' | 'micros' | 'failed', number>> & {
  readonly percentiles: readonly number[]
}

export function writeKeys({ folder, sizes: { clients } }: Bench): void {
  writeFileSync(join(folder, 'keys'), Array.from({ length: clients }, (_, n) => `${benchKey(n + 1)}\n`).join(''))
}

async function writeDraws({ session, folder }: Bench, columns: readonly string[]): Promise<void> {
  const { rows } = await session.query<string[]>({
    text: `select ${columns.join(', ')} from bench_run.draws order by n`,
    rowMode: 'array',
  })
  writeFileSync(join(folder, 'draws'), rows.map((row) => `${row.join(' ')}\n`).join(''))
}

/** The request counter simulates pgbench's alternating workers, so both programs use about the same numbers. */
function scriptOf(bench: Bench, { numbers, request }: Operation, material: Material | undefined): string {
  const constants = { ...bench.numbers, ...material?.numbers, workers, hold: material?.draws?.hold ?? 1 }
  const columns = material?.draws?.columns ?? []
  return [
    ...Object.entries(constants).map(([name, value]) => `local ${name} = ${value}`),
    `local draws_read = ${columns.length > 0 ? 'read_draws()' : '{}'}`,
    'local count = 0',
    'function request()',
    'local worker, turn = count % workers, floor(count / workers)',
    'count = count + 1',
    ...Object.entries(numbers).map(([name, expression]) => forLua(name, expression)),
    ...columns.map((column, n) => `local ${column} = draws_read[draw][${n + 1}]`),
    `return send("${request.method}", ${luaText(request.path)}, client_id, ${request.form === undefined ? 'nil' : luaText(request.form)})`,
    'end',
  ].join('\n')
}

const readers = (folder: string): string => `
local keys = {}
for line in io.lines(${JSON.stringify(join(folder, 'keys'))}) do keys[#keys + 1] = line end

local function read_draws()
  local draws, n = {}, 0
  for line in io.lines(${JSON.stringify(join(folder, 'draws'))}) do
    local row = {}
    for word in line:gmatch("%S+") do row[#row + 1] = word end
    draws[n] = row
    n = n + 1
  end
  return draws
end

function send(method, path, client_id, form)
  local head = method .. " " .. path .. " HTTP/1.1\\r\\nHost: bench\\r\\nAuthorization: " .. keys[tonumber(client_id)] .. "\\r\\n"
  if form == nil then return head .. "\\r\\n" end
  return head .. "Content-Type: application/x-www-form-urlencoded\\r\\nContent-Length: " .. #form .. "\\r\\n\\r\\n" .. form
end
`

const reportLua = `
function done(summary, latency)
  local e = summary.errors
  local percentiles = {}
  for n, percentage in ipairs({ ${percentages.join(', ')} }) do percentiles[n] = latency:percentile(percentage) end
  print(string.format('RESULT {"requests":%d,"micros":%d,"failed":%d,"percentiles":[%s]}', summary.requests,
    summary.duration, e.connect + e.read + e.write + e.status + e.timeout, table.concat(percentiles, ',')))
end
`
