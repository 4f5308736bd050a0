/**
 * The two addresses of signing in at the identity provider: one sends the browser there, one receives it back. What must
 * be remembered in between is in a short-lived cookie, so that any process can complete what another began. The cookie is
 * SameSite=Lax: the browser comes back from another site. It is signed with its time: with one that the service did not
 * write in the last minutes, nothing is asked of the identity provider.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  openIdentityProvider,
  signedInPath,
  type IdentityProviderConfig,
  type PendingSignIn,
} from './identity-provider.ts'
import { cookieOf, mustBeSecure, sessionCookie, setCookie } from './session-cookie.ts'
import { recordPerson } from '../keys/operators/record-person.ts'
import { startSession, type SessionLimits } from './start-session.ts'
import type { Database } from 'pg-statements/database.ts'

const pendingCookie = 'parts_sign_in'
const pendingSeconds = 600 // A person may have to find a second factor.

export const signInPath = '/console/sign-in'

interface SignInConfig extends IdentityProviderConfig, SessionLimits {
  readonly databaseUrl: string
}

export function serveSignIn(
  app: FastifyInstance,
  db: Database,
  config: SignInConfig,
  /** Called for a person who may not sign in; without a subject if the provider does not confirm one. */
  onRefused: (request: FastifyRequest, subject: string | null) => void,
): void {
  const provider = openIdentityProvider(config)
  const form = pendingForm(signingKey(config))
  const secure = mustBeSecure(undefined, config.consoleOrigin)
  const remember = (value: string, maxAgeSeconds: number): string =>
    setCookie(pendingCookie, value, { secure, maxAgeSeconds, sameSite: 'Lax' })

  app.get(signInPath, async (request, reply) => {
    try {
      const { address, pending } = await provider.begin()
      return await reply.header('set-cookie', remember(form.encode(pending), pendingSeconds)).redirect(address)
    } catch (error) {
      request.log.error({ err: error }, 'the identity provider cannot be reached')
      return reply.redirect('/console/?sign_in=failed')
    }
  })

  app.get(signedInPath, async (request, reply) => {
    const cookies = [remember('', 0)]
    const outcome = await complete(request, cookies)
    return reply.header('set-cookie', cookies).redirect(outcome === 'ok' ? '/console/' : `/console/?sign_in=${outcome}`)
  })

  async function complete(request: FastifyRequest, cookies: string[]): Promise<'ok' | 'failed' | 'refused'> {
    const pending = form.decode(cookieOf(request.headers, pendingCookie, { secure }))
    if (pending === undefined) return 'failed'
    try {
      const { issuer, subject, name, role } = await provider.complete(request.url, pending)
      if (role === undefined) {
        request.log.warn({ subject }, 'a person without a role tried to sign in')
        onRefused(request, subject)
        return 'refused'
      }
      const {
        session: { session_id, operator_id },
        token,
      } = await startSession(db, {
        operator_id: await recordPerson(db, { issuer, subject, operator_name: name }),
        key_id: null,
        role,
        sessionHours: config.sessionHours,
        sessionIdleMinutes: config.sessionIdleMinutes,
        request_id: request.id,
      })
      request.log.info({ session_id, operator_id }, 'signed in at the identity provider')
      cookies.push(sessionCookie(token, { secure, maxAgeSeconds: config.sessionHours * 3_600 }))
      return 'ok'
    } catch (error) {
      request.log.warn({ err: error }, 'signing in at the identity provider failed')
      onRefused(request, null)
      return 'failed'
    }
  }
}

/** A secret that all processes have. A public client has none at the provider; the database's password is one as well. */
const signingKey = ({ oidcClientSecret, databaseUrl }: SignInConfig): Buffer =>
  Buffer.from(hkdfSync('sha256', oidcClientSecret === '' ? databaseUrl : oidcClientSecret, '', pendingCookie, 32))

/** How the cookie is written and read: the values, when it expires, and the signature of both. */
function pendingForm(key: Buffer) {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    encode({ state, nonce, verifier }: PendingSignIn): string {
      const text = [state, nonce, verifier, Date.now() + pendingSeconds * 1_000].join('.')
      return `${text}.${sign(text)}`
    },
    decode(value = ''): PendingSignIn | undefined {
      const [state = '', nonce = '', verifier = '', expiresAt = '', signature = '', ...more] = value.split('.')
      const given = Buffer.from(signature)
      const own = Buffer.from(sign([state, nonce, verifier, expiresAt].join('.')))
      const isOwn = more.length === 0 && given.length === own.length && timingSafeEqual(given, own)
      return isOwn && Number(expiresAt) > Date.now() ? { state, nonce, verifier } : undefined
    },
  }
}
