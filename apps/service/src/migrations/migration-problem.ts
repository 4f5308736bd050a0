/** Why a migration cannot be applied, in a sentence. */
export class MigrationProblem extends Error {
  override readonly name = 'MigrationProblem'
}
