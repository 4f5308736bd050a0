/** Everything that ends the program early, with its exit code. */
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

export interface ServiceError {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** No response: it is unknown whether the service has received the request. */
export class NotReached extends Problem {
  override readonly name = 'NotReached'
}

/** The service has responded with a refusal. */
export class RefusedByService extends Problem {
  readonly errors: readonly ServiceError[]
  readonly status: number
  /** The complete response, for --json. */
  readonly response: object
  override readonly name = 'RefusedByService'

  constructor(status: number, response: { errors: readonly ServiceError[]; status?: string; request_id?: string }) {
    const [error] = response.errors
    super(exitCodeOf(status), response.errors.map(({ message }) => message).join('\n'), adviceOn(error?.code ?? ''))
    this.errors = response.errors
    this.status = status
    this.response = response
  }
}

function exitCodeOf(status: number): ExitCode {
  return status === 401 || status === 403 || status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.refused
}

/** For refusals whose message does not say what an operator can do. */
function adviceOn(code: string): string | undefined {
  switch (code) {
    case 'unauthorized':
      return 'The key in PARTS_KEY or PARTS_KEY_FILE is mistyped, expired or revoked. An admin can issue another one with `parts operator-key issue`.'
    case 'role_missing':
      return 'Use a key with the required role. An admin can issue one with `parts operator-key issue`.'
    case 'route_not_found':
    case 'method_not_allowed':
      return 'The service may be older than this program, or PARTS_URL may contain an extra path.'
    case 'busy':
    case 'database_unavailable':
    case 'shutting_down':
      return 'Try again in a few seconds.'
    default:
      return undefined
  }
}

export const errorMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message || errorCode(error) || error.name
}

/** The code of a Node error, such as ECONNREFUSED. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''
