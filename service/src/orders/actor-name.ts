import type { Actor } from '../access/actor.ts'

/** How the event log names who made a change. */
export const actorName = ({ key_id }: Actor): string => `key ${key_id}`
