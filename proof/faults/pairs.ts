/** Two faults at once, of different parts, the second one up to a second after the first. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'

/** `parts` are the faults by what they break. Two that need an installation of their own cannot be paired. */
export function allPairs(parts: readonly (readonly Scenario[])[]): Scenario[] {
  return parts.flatMap((part, n) =>
    part.flatMap((one) =>
      parts
        .slice(n + 1)
        .flat()
        .filter((other) => one.installation === undefined || other.installation === undefined)
        .map((other) => together(one, other)),
    ),
  )
}

/** As many of them, without repetition, the same ones for the same seed. */
export function draw(pairs: readonly Scenario[], count: number, seed: number): Scenario[] {
  const random = seededRandom(`${seed} pairs`)
  return pairs
    .map((pair) => ({ pair, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ pair }) => pair)
}

function together(one: Scenario, other: Scenario): Scenario {
  return {
    ...one,
    ...other,
    ...((one.installation ?? other.installation) && { installation: one.installation ?? other.installation }),
    name: `${one.name} + ${other.name}`,
    about: `${one.about} ${other.about}`,
    fault: async (installation, random) => {
      const [first, second] = random() < 0.5 ? [one, other] : [other, one]
      const pause = sleep(random() * 1_000)
      await Promise.all([first.fault(installation, random), pause.then(() => second.fault(installation, random))])
    },
    allowed: new RegExp(`${one.allowed.source}|${other.allowed.source}`),
    shortRounds: Math.min(one.shortRounds, other.shortRounds, 1),
    skipped: () => one.skipped?.() ?? other.skipped?.(),
    unavailable: () => one.unavailable?.() ?? other.unavailable?.(),
  }
}
