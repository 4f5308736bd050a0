/** A file system that is soon full. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly folder: string
  /** Takes all space that is left. */
  readonly fill: () => void
  readonly free: () => void
  readonly unmount: () => void
}

/** Needs root. */
export function mountSmallDisk(sizeMb: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'parts-small-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder])
  chmodSync(folder, 0o755)
  const filling = join(folder, 'filling')
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      try {
        writeFileSync(filling, Buffer.alloc(bavail * bsize))
      } catch {
        // Something else took the last blocks.
      }
    },
    free: () => rmSync(filling, { force: true }),
    unmount: () => {
      execFileSync('umount', ['--lazy', folder])
      rmdirSync(folder)
    },
  }
}
