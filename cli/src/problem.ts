/** What can go wrong, and the exit code by which a script tells it. */
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
  0: 'done',
  1: 'the service refused it, or `check` has found something',
  2: 'the command line or a setting is wrong',
  3: 'the service cannot be reached or cannot serve now, or the key does not allow it',
  4: 'an import had bad rows',
  130: 'interrupted by Ctrl-C',
}

/** Ends the program: with a sentence that says what happened, and one that says what to do about it. */
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

/** Whether and how the service has received what was sent is not known. */
export class NotReached extends Problem {
  override readonly name = 'NotReached'
}

/** The service has answered, and said no. */
export class RefusedByService extends Problem {
  readonly errors: readonly ServiceError[]
  readonly status: number
  /** The answer as it was, for --json. */
  readonly answer: object
  override readonly name = 'RefusedByService'

  constructor(status: number, answer: { errors: readonly ServiceError[] }) {
    const [error] = answer.errors
    super(exitCodeOf(status), answer.errors.map(({ message }) => message).join('\n'), adviceOn(error?.code ?? ''))
    this.errors = answer.errors
    this.status = status
    this.answer = answer
  }
}

function exitCodeOf(status: number): ExitCode {
  return status === 401 || status === 403 || status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.refused
}

/** Where the service's own sentence does not say what somebody at a terminal can do. */
function adviceOn(code: string): string | undefined {
  switch (code) {
    case 'unauthorized':
      return 'The key in PARTS_KEY or PARTS_KEY_FILE is mistyped, expired or revoked. An admin issues another: parts operator-key issue.'
    case 'role_missing':
      return 'Use the key of somebody who may; an admin issues one: parts operator-key issue.'
    case 'route_not_found':
    case 'method_not_allowed':
      return 'The service there may be older than this program, or PARTS_URL may have a path too much.'
    case 'busy':
    case 'database_unavailable':
    case 'shutting_down':
      return 'Try again in a few seconds.'
    default:
      return undefined
  }
}
