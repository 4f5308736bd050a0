/** Run by `overhead.timing.ts` in a process of its own: CPU per call of the client and of bare `fetch`, in turns. */
import { createClient } from '@parts-ordering/client'
import { percentile } from '../../../apps/service/src/testing/percentile.ts'

const url = process.env['URL'] ?? ''
const key = process.env['KEY'] ?? ''
const order_id = Number(process.env['ORDER'])
const client = createClient({ url, key })

const bare = async (): Promise<unknown> => {
  const response = await fetch(`${url}/api/v1/orders/${order_id}/`, { headers: { authorization: key } })
  const { status, data } = (await response.json()) as { status: string; data: unknown }
  if (status !== 'ok') throw new Error(status)
  return data
}
const typed = (): Promise<unknown> => client.readOrder({ order_id })

async function microsPerCall(call: () => Promise<unknown>, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let n = 0; n < calls; n++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

const median = (values: number[]): number => percentile(values, 0.5)

for (let n = 0; n < 5; n++) for (const call of [bare, typed]) await microsPerCall(call, 500) // Until all is compiled.
// Short turns, so that a busy machine slows down both; the control is `fetch` against itself.
const rounds = await Array.fromAsync({ length: 120 }, async () => ({
  bare: await microsPerCall(bare, 50),
  typed: await microsPerCall(typed, 50),
  control: await microsPerCall(bare, 50),
}))
const result = {
  bare: median(rounds.map(({ bare }) => bare)),
  typed: median(rounds.map(({ bare, typed }) => typed / bare)),
  control: median(rounds.map(({ bare, control }) => control / bare)),
}
process.stdout.write(JSON.stringify(result))
