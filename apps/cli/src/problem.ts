/** Everything that ends the program early, with its exit code. */
import type { RefusedError } from '@parts-ordering/client/operator'

export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  rowsRefused: 4,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'the service refused the request, it was not confirmed, or `check` found violations',
  2: 'wrong command line or setting',
  3: 'the service is unreachable or unavailable, or the key is not accepted',
  4: 'an import had invalid rows',
  130: 'interrupted with Ctrl-C',
}

/** Ends the program with a message that says what happened and advice on what to do. */
export class Problem extends Error {
  readonly exitCode: ExitCode
  readonly advice: string | undefined
  override readonly name: string = 'Problem'

  constructor(exitCode: ExitCode, message: string, advice?: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.advice = advice
  }
}

/** The service has responded with a refusal. */
export class RefusedRequest extends Problem {
  /** The complete response, for --json. */
  readonly response: object
  override readonly name = 'RefusedRequest'

  /** The advice replaces the usual one. */
  constructor(error: RefusedError, { about = '', advice }: { about?: string; advice?: string | undefined } = {}) {
    const { status, code, errors, requestId } = error
    const sentences = errors.map(({ message }) => message).join('\n')
    super(exitCodeOf(status), about + sentences, advice ?? usualAdvice[code], { cause: error })
    this.response = { status: 'fail', errors, request_id: requestId }
  }
}

function exitCodeOf(status: number): ExitCode {
  return status === 401 || status === 403 || status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.refused
}

const tryAgain = 'Try again in a few seconds.'
const otherVersion = 'The service may be older than this program, or PARTS_URL may contain an extra path.'

/** For refusals whose message does not say what an operator can do. */
const usualAdvice: Readonly<Partial<Record<RefusedError['code'], string>>> = {
  unauthorized:
    'The key in PARTS_KEY or PARTS_KEY_FILE is mistyped, expired or revoked. An admin can issue another one with `parts operator-key issue`.',
  role_missing: 'Use a key with the required role. An admin can issue one with `parts operator-key issue`.',
  route_not_found: otherVersion,
  method_not_allowed: otherVersion,
  busy: tryAgain,
  database_unavailable: tryAgain,
  shutting_down: tryAgain,
}

export const errorMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message || errorCode(error) || error.name
}

/** The code of a Node error, such as ECONNREFUSED. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
