/** Signing in at the distributor's identity provider: OpenID Connect, code flow with PKCE. */
import * as oidc from 'openid-client'
import { roleNames, type Role } from '../identity/actor.ts'
import { cleanText } from '../input/fields.ts'

export interface IdentityProviderConfig {
  readonly oidcIssuer: string
  readonly oidcClientId: string
  readonly oidcClientSecret: string
  readonly oidcGroupsClaim: string
  readonly oidcRoles: Readonly<Record<string, Role>>
  readonly consoleOrigin: string
}

/** What must be remembered from the start of signing in to its end. */
export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly name: string
  /** Undefined if none of the person's groups has one. */
  readonly role: Role | undefined
}

export interface IdentityProvider {
  /** The address at the provider to which the browser is sent. */
  readonly begin: () => Promise<{ address: string; pending: PendingSignIn }>
  /** Exchanges the code in the address to which the provider sent the browser back. Throws for anything unexpected. */
  readonly complete: (address: string, pending: PendingSignIn) => Promise<Person>
}

export const signedInPath = '/console/signed-in'

export function openIdentityProvider(config: IdentityProviderConfig): IdentityProvider {
  const redirect_uri = `${config.consoleOrigin}${signedInPath}`
  let discovered: Promise<oidc.Configuration> | undefined

  /** Discovered at the first sign-in, so that the service starts while the provider is away. */
  function provider(): Promise<oidc.Configuration> {
    discovered ??= oidc
      .discovery(
        new URL(config.oidcIssuer),
        config.oidcClientId,
        undefined,
        config.oidcClientSecret === '' ? oidc.None() : oidc.ClientSecretPost(config.oidcClientSecret),
        // Settings allow plain http only on this machine.
        config.oidcIssuer.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : {},
      )
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      })
    return discovered
  }

  return {
    begin: async () => {
      const pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      }
      const address = oidc.buildAuthorizationUrl(await provider(), {
        redirect_uri,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, pending }
    },
    complete: async (address, { state, nonce, verifier }) => {
      const configuration = await provider()
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(address, config.consoleOrigin), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('The identity provider sent no ID token.')
      // Some providers send groups only with the user's details.
      const details =
        claims[config.oidcGroupsClaim] === undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims
      return {
        issuer: claims.iss,
        subject: claims.sub,
        name: nameOf({ ...details, ...claims }) ?? 'No name',
        role: roleOf(details[config.oidcGroupsClaim], config.oidcRoles),
      }
    },
  }
}

function nameOf(claims: Readonly<Record<string, unknown>>): string | undefined {
  const names = [claims['name'], claims['preferred_username'], claims['email'], claims['sub']]
  return names
    .map((name) => (typeof name === 'string' ? cleanText(name) : undefined))
    .find((name) => name !== undefined)
}

/** Of several groups, the one whose role may do most counts: the last of viewer, decider, cataloguer, admin. */
function roleOf(groups: unknown, rolesOf: Readonly<Record<string, Role>>): Role | undefined {
  const named = (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string')
  const given = named.filter((group) => Object.hasOwn(rolesOf, group)).map((group) => rolesOf[group])
  return roleNames.findLast((role) => given.includes(role))
}
