/** The program in a real terminal (tmux), against a service with a few orders, and a picture of what it shows. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addFixtures } from '../../apps/service/src/testing/fixtures.ts'
import { makeOperators } from '../../apps/service/src/testing/operators.ts'
import { order } from '../../apps/service/src/testing/orders.ts'
import { startService, type TestService } from '../../apps/service/src/testing/service.ts'
import { makeWorld } from '../../apps/service/src/testing/world.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../apps/cli/src/main.ts')

export interface TerminalScreen {
  /** Of the file. */
  readonly name: string
  readonly columns: number
  readonly command: string
  /** As tmux captures them, with colours. */
  readonly lines: readonly string[]
}

const rowsMax = 60 // More than any of these commands prints.

export async function captureScreens(): Promise<TerminalScreen[]> {
  const service = await startService()
  try {
    const { number, key } = await placeOrders(service)
    const environment = { PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: key }
    const screens: TerminalScreen[] = []
    for (const [name, columns, command] of [
      ['inbox-80', 80, 'inbox'],
      ['inbox-120', 120, 'inbox'],
      ['order-80', 80, `order ${number}`],
    ] as const)
      screens.push({ name, columns, command, lines: await capture(columns, command, environment) })
    return screens
  } finally {
    await service.close()
  }
}

/** Two open requests, of the same age in each run, and an order that is on its way. */
async function placeOrders(service: TestService): Promise<{ number: number; key: string }> {
  await addFixtures(service)
  const { keys, ok } = await makeOperators(service)
  const world = await makeWorld(service)
  const [cancelled, adjusted, moved] = [await order(world), await order(world), await order(world)]
  await world.shop.ok('DELETE', `/api/v1/orders/${cancelled.order_id}/`)
  const line = `/api/v1/orders/${adjusted.order_id}/items/${adjusted.order_item_id}/`
  await world.shop.ok('PATCH', line, { quantity: 5, reason: 'Two more cars came in.' })
  await service.sql(`update orders set order_update_datetime = order_update_datetime - interval '26 hours'`)
  await service.sql(`update adjustments set adjustment_date_create = adjustment_date_create - interval '125 minutes'`)
  for (const state_id of ['processing', 'fulfilling'])
    await ok('POST', `/operator/v1/orders/${moved.order_id}/move/`, { state_id, text: 'By noon.' })
  const { order_number } = await ok('GET', `/operator/v1/orders/${moved.order_id}/`)
  return { number: order_number as number, key: keys.viewer }
}

/** Runs a command in a terminal of its own, until it has ended. */
async function capture(columns: number, command: string, environment: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-terminal-'))
  const socket = join(folder, 'tmux')
  const tmux = async (...args: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', ...environment }
    return (await run('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], { env })).stdout
  }
  try {
    // The program waits for the channel: it starts when the screen has its size, and signals its end.
    const ended = `tmux -S ${socket} wait-for -S ended`
    const shell = `${process.execPath} ${program} ${command}; ${ended}; exec sleep 600`
    const size = ['-x', String(columns), '-y', String(rowsMax)]
    await tmux('new-session', '-d', ...size, shell)
    await tmux('wait-for', 'ended')
    const screen = await tmux('capture-pane', '-e', '-p')
    return screen.trimEnd().split('\n')
  } finally {
    await tmux('kill-server')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same text in every run: figures may differ, their places may not. */
export const shapeOf = (text: string): string => text.replaceAll(/\d/g, '0')

const character = { width: 8.4, height: 18 }
const margin = 14

/** The screen as it looks, with the command above it. */
export function drawScreen({ columns, command, lines }: TerminalScreen): string {
  const width = columns * character.width + 2 * margin
  const height = (lines.length + 1) * character.height + 2 * margin
  const rows = [`<tspan class="prompt">$</tspan> parts ${escape(command)}`, ...lines.map(drawLine)]
  const texts = rows.map((row, i) => {
    const y = margin + (i + 0.75) * character.height
    return `<text x="${margin}" y="${y}" xml:space="preserve">${row}</text>\n`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
rect { fill: #1e1f24 }
text { fill: #e4e4e7; font: 14px 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace; white-space: pre }
.prompt { fill: #8b8d98 }
.bold { font-weight: bold }
.red { fill: #ff8589 }
</style>
<rect width="${width}" height="${height}" rx="8"/>
${texts.join('')}</svg>
`
}

/** Colours of the terminal become classes. tmux ends some attributes with a shift-in, which shows nothing. */
function drawLine(line: string): string {
  const style = { bold: false, red: false }
  const [plain = '', ...styled] = line.replaceAll('\u000F', '').split('\u001B[')
  return [
    escape(plain),
    ...styled.map((part) => {
      const end = part.indexOf('m')
      for (const code of part.slice(0, end).split(';')) apply(style, Number(code))
      const text = escape(part.slice(end + 1))
      const names = [...(style.bold ? ['bold'] : []), ...(style.red ? ['red'] : [])]
      return names.length === 0 || text === '' ? text : `<tspan class="${names.join(' ')}">${text}</tspan>`
    }),
  ].join('')
}

function apply(style: { bold: boolean; red: boolean }, code: number): void {
  if (code === 0 || code === 22) style.bold = false
  if (code === 0 || code === 39) style.red = false
  if (code === 1) style.bold = true
  if (code === 31) style.red = true
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
