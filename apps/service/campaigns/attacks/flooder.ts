/** A thread that repeats a request on many connections, each as soon as it is answered, whatever the answer is. */
import { Agent, request } from 'node:http'
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

export interface Flood {
  readonly address: string
  readonly connections: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** How many answers of each status it got. */
export type FloodCounts = Record<string, number>

async function flood({ address, connections, method, path, headers, body }: Flood): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const counts: FloodCounts = {}
  parentPort?.on('message', () => parentPort?.postMessage(counts))

  const repeat = async (): Promise<never> => {
    for (;;) {
      const sent = request(`${address}${path}`, { method, headers, agent }).end(body)
      try {
        const [answer] = await once(sent, 'response')
        answer.resume()
        await once(answer, 'end')
        counts[answer.statusCode] = (counts[answer.statusCode] ?? 0) + 1
      } catch {
        counts['cut'] = (counts['cut'] ?? 0) + 1
      }
    }
  }
  await Promise.race(Array.from({ length: connections }, repeat))
}

if (parentPort !== null) await flood(workerData as Flood)
