/** For tests: the roles of `roles.sql` in a database. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const roles = ['parts_owner', 'parts_service', 'parts_reader', 'parts_oncall', 'parts_monitor'] as const
type RoleName = (typeof roles)[number]

const rolesFile = join(import.meta.dirname, 'roles.sql')

/** With the password of the server's own user, if it requires one. */
export function addRoles(databaseUrl: string): void {
  const { password } = new URL(databaseUrl)
  const passwords = roles.flatMap((role) =>
    password === '' ? [] : ['-c', `alter role ${role} password '${password}'`],
  )
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-d', databaseUrl, '-f', rolesFile, ...passwords], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

export function as(role: RoleName, databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = role
  return url.href
}
