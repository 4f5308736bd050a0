/** A thread that repeats a request on many connections, each as soon as it is answered, whatever the answer is. */
import { Agent, request } from 'node:http'
import { once } from 'node:events'
import { isMainThread, workerData } from 'node:worker_threads'

export interface Flood {
  readonly address: string
  readonly connections: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Shared: how many answers of each status it got; at 0, how many connections were cut. */
  readonly counts: Int32Array
}

async function flood({ address, connections, method, path, headers, body, counts }: Flood): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const repeat = async (): Promise<never> => {
    for (;;) {
      const sent = request(`${address}${path}`, { method, headers, agent }).end(body)
      try {
        const [answer] = await once(sent, 'response')
        answer.resume()
        await once(answer, 'end')
        Atomics.add(counts, answer.statusCode, 1)
      } catch {
        Atomics.add(counts, 0, 1)
      }
    }
  }
  await Promise.race(Array.from({ length: connections }, repeat))
}

if (!isMainThread) await flood(workerData as Flood)
