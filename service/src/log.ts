import { pino, type DestinationStream, type Logger } from 'pino'

/** Keys never reach the log: requests are logged field by field, and should a header slip in, it is blotted out here. */
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
          'err.client', // A pool hangs the broken connection on its error, with the key that cancels its statements.
        ],
        censor: '[redacted]',
      },
    },
    ...(destination === undefined ? [] : [destination]),
  )
}
