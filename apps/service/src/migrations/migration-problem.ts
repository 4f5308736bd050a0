/** Why a migration cannot be applied, in a sentence. */
export class MigrationProblem extends Error {
  override readonly name = 'MigrationProblem'
}

/** The database has the tables of an older numbering of the migrations: none of ours fits them. */
export class OlderNumbering extends MigrationProblem {}
