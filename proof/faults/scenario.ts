/** A fault, what clients may see of it, and how long the service may take to recover. */
import type { Installation, InstallationOptions } from './installation.ts'

export interface Scenario {
  readonly name: string
  /** What happens, in a sentence for the report. */
  readonly about: string
  /** Breaks something under load, and returns when the service could work again. */
  readonly fault: (installation: Installation, random: () => number) => Promise<void>
  /** Which outcomes clients may get besides 200 and definite refusals. */
  readonly allowed: RegExp
  /** From the end of the fault until every client has placed an order. Longer counts as stuck. */
  readonly recoveryMaxMs?: number
  /** Rounds in the short form. */
  readonly shortRounds: number
  /** What this fault needs besides the usual one. Scenarios with the same needs share one. */
  readonly installation?: Partial<InstallationOptions>
  /** Why it is skipped at present; undefined if it is not. */
  readonly skipped?: () => string | undefined
  /** Why it cannot run here, which is a failure; undefined if it can. */
  readonly unavailable?: () => string | undefined
}

/** Refused with an answer that says when to try again. */
export const retryable = /^(503 (busy|overloaded|database_unavailable|without a body)|429 \w+)$/
/** A connection to an API process broke as well: clients do not know what happened, and ask again. */
export const retryableOrLost = /^(503 (busy|overloaded|database_unavailable|without a body)|429 \w+|lost|no answer)$/
