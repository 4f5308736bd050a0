/** Chromium, for tests of pages. `CHROMIUM` names the program; otherwise it is looked for where Debian installs it. */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const program = process.env['CHROMIUM'] ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)

/** The option `skip` of a test that needs a browser. .ci/run sets `CHROMIUM`, so that it is never skipped there. */
export const withoutBrowser: string | false =
  program === undefined && 'Chromium is missing: apt-get install chromium, or set CHROMIUM.'

/** The name of a host that leads to this machine, and is not one that browsers trust as they trust localhost. */
export const otherHost = 'parts.example'

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    chromiumSandbox: false, // Root has none, and the pages are our own.
    args: [`--host-resolver-rules=MAP ${otherHost} 127.0.0.1`, '--disable-gpu'],
    timeout: 120_000,
  })
}
