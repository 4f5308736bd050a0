/** DealerRequests of a client that never gives up: sent again until the answer is definite. Every sending is recorded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { countAnswer, type History, type Sending } from './history.ts'

export interface Request {
  /** The name under which its answers are counted. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly key: string
  readonly form?: Readonly<Record<string, string | number>>
  readonly idempotencyKey?: string
}

export interface DealerAnswer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- The answers of many operations; the callers know theirs.
  readonly data: any
  readonly code: string | undefined
  /** When the sending that was answered began. */
  readonly sentAt: number
}

const requestTimeoutMs = 60_000 // Longer than the service takes for anything but a long poll.
const pauseMs = 200

export interface DealerRequests {
  readonly send: (request: Request, sendings?: Sending[]) => Promise<DealerAnswer | undefined>
  /** Undefined only when the run has been stopped. */
  readonly untilDefinite: (request: Request, sendings?: Sending[]) => Promise<DealerAnswer | undefined>
}

export function openRequests(url: string, history: History, isStopped: () => boolean): DealerRequests {
  const send: DealerRequests['send'] = async (request, sendings = []) => {
    const { operation, method, path, key, form, idempotencyKey } = request
    const sentAt = performance.now()
    let answer: DealerAnswer | undefined
    let outcome = 'lost'
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: key, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
        ...(form !== undefined && { body: new URLSearchParams(Object.entries(form).map(([k, v]) => [k, String(v)])) }),
        signal: AbortSignal.timeout(requestTimeoutMs),
      })
      const text = await response.text()
      const body = (text === '' ? {} : JSON.parse(text)) as { data?: unknown; errors?: { code: string }[] }
      const code = body.errors?.[0]?.code
      answer = { status: response.status, data: body.data, code, sentAt }
      outcome = response.ok ? '200' : `${response.status} ${code ?? 'without a body'}`
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') outcome = 'no answer'
    }
    sendings.push({ sentAt, endedAt: performance.now(), outcome })
    countAnswer(history, operation, outcome)
    return answer
  }
  return {
    send,
    untilDefinite: async (request, sendings) => {
      while (!isStopped()) {
        const answer = await send(request, sendings)
        if (answer !== undefined && isDefinite(answer.status)) return answer
        await sleep(pauseMs * (0.5 + Math.random()))
      }
      return undefined
    },
  }
}

const isDefinite = (status: number): boolean => status < 500 && status !== 408 && status !== 429
