/** Nothing is wrong with the statement or its values: the caller may try again later. */
export class DatabaseTrouble extends Error {
  /** `unavailable`: PostgreSQL cannot be reached, or the outcome is unknown. `busy`: it did not get to the statement in time. */
  readonly kind: 'unavailable' | 'busy'

  constructor(kind: 'unavailable' | 'busy', options?: ErrorOptions) {
    super(kind === 'unavailable' ? 'The database is unavailable.' : 'The database is busy.', options)
    this.name = 'DatabaseTrouble'
    this.kind = kind
  }
}

/** The database cannot be used as it is configured. The message says what to change. */
export class UnusableDatabase extends DatabaseTrouble {
  constructor(message: string) {
    super('unavailable')
    this.name = 'UnusableDatabase'
    this.message = message
  }
}

/** Nothing was sent, because the caller had left. */
export class CallerGone extends Error {
  constructor() {
    super('The caller has left; nothing was sent.')
    this.name = 'CallerGone'
  }
}
