import { pino, type DestinationStream, type Logger } from 'pino'

/** Keys never reach the log: requests are logged field by field, and a stray Authorization header is redacted here. */
export function makeLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          '*.headers.authorization',
          'headers.authorization',
          '*.connectionString',
          'err.client', // pg attaches the broken connection to its error, with the secret key that cancels statements.
        ],
        censor: '[redacted]',
      },
    },
    ...(destination === undefined ? [] : [destination]),
  )
}
