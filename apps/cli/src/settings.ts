/** The only module that reads the environment: the URL of the service and the key. */
import { readFileSync } from 'node:fs'
import { exitCodes, errorMessage, Problem } from './problem.ts'

export const urlDefault = 'http://127.0.0.1:8080'

export interface CliSettings {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(environment: Environment, givenUrl: string | undefined): CliSettings {
  refuseMisspelt(environment)
  return { url: readUrl(environment, givenUrl), key: readKey(environment) }
}

const variables = ['PARTS_URL', 'PARTS_KEY', 'PARTS_KEY_FILE']

/** Such as PARTS_KEYFILE, which would be ignored without a word. Other names with PARTS_ may belong to others. */
function refuseMisspelt(environment: Environment): void {
  const misspelt = Object.keys(environment).find((name) => /^PARTS_(URL|KEY)/i.test(name) && !variables.includes(name))
  if (misspelt !== undefined)
    throw new Problem(exitCodes.usage, `${misspelt} is not a setting. The settings are ${variables.join(', ')}.`)
}

function readUrl(environment: Environment, given: string | undefined): string {
  const text = given ?? (environment['PARTS_URL'] || urlDefault)
  const source = given === undefined ? 'PARTS_URL' : '--url'
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new Problem(exitCodes.usage, `${source} must be a URL such as ${urlDefault}, not '${text}'.`)
  if (url.username !== '' || url.password !== '')
    throw new Problem(
      exitCodes.usage,
      `${source} must not contain a user name or password. Put the key into PARTS_KEY.`,
    )
  return url.href.replace(/\/+$/, '')
}

const keyAdvice =
  'Set PARTS_KEY to an operator key, or PARTS_KEY_FILE to a file that contains one. An admin can issue a key with `parts operator-key issue`. Create the first key with `parts operator-key issue --first`, where DATABASE_URL is set.'

function readKey(environment: Environment): string {
  if (environment['PARTS_KEY'] && environment['PARTS_KEY_FILE'])
    throw new Problem(exitCodes.usage, 'PARTS_KEY and PARTS_KEY_FILE are both set. Set one of them.')
  const key = (environment['PARTS_KEY'] || readKeyFile(environment['PARTS_KEY_FILE'])).trim()
  if (key === '') throw new Problem(exitCodes.unreachable, 'No key is set.', keyAdvice)
  if (key.startsWith('pos_'))
    throw new Problem(
      exitCodes.unreachable,
      "This is a client's key (pos_…). An operator key (pso_…) is required.",
      keyAdvice,
    )
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Problem(exitCodes.unreachable, 'The key contains invalid characters.', keyAdvice)
  return key
}

function readKeyFile(file: string | undefined): string {
  if (!file) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Problem(exitCodes.unreachable, `Cannot read PARTS_KEY_FILE: ${errorMessage(error)}.`, keyAdvice)
  }
}
