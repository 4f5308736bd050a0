/** The only reader of the environment: where the service is, and with which key to ask it. */
import { readFileSync } from 'node:fs'
import { exitCodes, Problem } from './problem.ts'

export const urlDefault = 'http://127.0.0.1:8080'

export interface CliSettings {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(environment: Environment, given: { url?: string | undefined }): CliSettings {
  return { url: readUrl(environment, given.url), key: readKey(environment) }
}

function readUrl(environment: Environment, given: string | undefined): string {
  const text = given ?? (environment['PARTS_URL'] || urlDefault)
  const from = given === undefined ? 'PARTS_URL' : '--url'
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new Problem(exitCodes.usage, `${from} must be an address such as ${urlDefault}, not '${text}'.`)
  if (url.username !== '' || url.password !== '')
    throw new Problem(exitCodes.usage, `${from} must not carry a name or password; the key goes into PARTS_KEY.`)
  return url.href.replace(/\/+$/, '')
}

const howToGetOne =
  'Put an operator key into PARTS_KEY, or the name of a file with it into PARTS_KEY_FILE. An admin issues one with `parts operator-key issue`; the very first comes from `parts operator-key issue --first`, where DATABASE_URL is set.'

function readKey(environment: Environment): string {
  const key = (environment['PARTS_KEY'] || readKeyFile(environment['PARTS_KEY_FILE'])).trim()
  if (key === '') throw new Problem(exitCodes.unreachable, 'There is no key.', howToGetOne)
  if (key.startsWith('pos_'))
    throw new Problem(
      exitCodes.unreachable,
      "This is a client's key (pos_…); here an operator's is needed (pso_…).",
      howToGetOne,
    )
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Problem(exitCodes.unreachable, 'The key has characters that no key has.', howToGetOne)
  return key
}

function readKeyFile(file: string | undefined): string {
  if (!file) return ''
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Problem(exitCodes.unreachable, `PARTS_KEY_FILE cannot be read: ${(error as Error).message}.`, howToGetOne)
  }
}
