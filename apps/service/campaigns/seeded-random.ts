/** Random choices that a seed repeats, which Math.random does not. */
export interface SeededRandom {
  /** From 0 to 1. */
  readonly random: () => number
  readonly chance: (of: number) => boolean
  readonly any: <T>(of: readonly T[]) => T
}

export function seededRandom(seed: number): SeededRandom {
  const random = mulberry32(seed)
  return {
    random,
    chance: (of) => random() < of,
    any: <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T,
  }
}

function mulberry32(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
