import type { Readable } from 'node:stream'

export const rowsBytesMax = 1024 ** 3 // Twenty million short rows.

/** A body of rows, read while it arrives. */
export interface RowsBody {
  readonly stream: Readable
  readonly media: string
  /** Of the Content-Type, in lower case. */
  readonly charset: string | undefined
  /** Of the Content-Disposition. */
  readonly file_name: string | undefined
  /** Throws when the sender's key is no longer valid. */
  readonly confirm: () => Promise<void>
}
