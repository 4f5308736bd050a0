import { makeApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { serveMetrics } from '../http/metrics.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'

/** Serves the API until SIGTERM or SIGINT: then takes no new requests, finishes those under way, and ends. */
export async function api(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const logger = makeLogger(config.logLevel)
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const app = await makeApp(db, config, logger)
  const metrics = await serveMetrics(config.host, config.metricsPort)
  const address = await app.listen({ host: config.host, port: config.port })
  logger.info({ address, metrics: metrics.address() }, 'ready')

  const stop = (signal: string): void => {
    logger.info({ signal }, 'stopping')
    const forced = setTimeout(() => {
      logger.error('requests were still under way after the grace time')
      process.exit(1)
    }, config.shutdownGraceMs)
    app
      .close()
      .then(() => db.close())
      .then(() => {
        metrics.close()
        clearTimeout(forced)
        logger.info('stopped')
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      })
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}
