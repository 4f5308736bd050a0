/** A new client for each case, with the calls that it makes most. */
import { addClient, shopper, type TestClient } from './fixtures.ts'
import type { TestService } from './service.ts'

export interface World {
  readonly service: TestService
  readonly me: TestClient
  readonly shop: ReturnType<typeof shopper>
}

export async function makeWorld(service: TestService): Promise<World> {
  const me = await addClient(service)
  return { service, me, shop: shopper(service, me) }
}

/** A valid id that no row has. */
export const unknownId = 9_007_199_254_740_991

export const day = (ahead: number): string => Temporal.Now.plainDateISO('UTC').add({ days: ahead }).toString()
