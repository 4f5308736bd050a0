/**
 * The script of the reference page, which is that of Scalar's plugin for Fastify. `npm run generate` takes it from the
 * package and stores it, compressed, in `page/`: the service needs neither the package nor its dependencies.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'

export const scalarScriptFile = new URL('page/scalar.js.gz', import.meta.url)

/** Whether the stored script is that of the installed package. Compressed bytes differ between platforms. */
export async function isScalarScriptFresh(): Promise<boolean> {
  if (!existsSync(scalarScriptFile)) return false
  return gunzipSync(readFileSync(scalarScriptFile)).equals(await packagedScript())
}

export async function storeScalarScript(): Promise<void> {
  writeFileSync(scalarScriptFile, gzipSync(await packagedScript(), { level: 9 }))
}

/** The package exports the script only through the route that serves it. */
async function packagedScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await using app = Fastify()
  await app.register(scalar, { routePrefix: '/page', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await app.inject('/page/js/scalar.js')
  return rawPayload
}
