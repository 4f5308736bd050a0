/** Signing in and out of the console, sessions, and what the caller may do. */
import Type from 'typebox'
import { endSession } from './end-session.ts'
import { listSessions } from './list-sessions.ts'
import { SignedSession } from './session.ts'
import { endedCookie, mustBeSecure, sessionCookie } from './session-cookie.ts'
import { signOut } from './sign-out.ts'
import { startSession, type SessionLimits } from './start-session.ts'
import { operatorActor, roles } from '../identity/actor.ts'
import { recordRefusedSignIn } from '../keys/audit/bounded-entries.ts'
import { roleWord } from '../keys/operators/operator.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { flag, id, optional } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { integerOrNull, refer } from '../vocabulary/schema-parts.ts'

const Me = Type.Object(
  {
    operator_id: Type.Integer({ description: 'The operator under which the log lists what you do.' }),
    operator_name: Type.String({ description: 'Your name.' }),
    role: roleWord('Your role.'),
    permissions: Type.Array(Type.String(), { description: 'What the role may do, as each operation names it.' }),
    key_id: integerOrNull('The key of the request, or of the session; null after signing in at the identity provider.'),
    session_id: integerOrNull('The session of the request; null if it was sent with a key.'),
  },
  {
    examples: [
      {
        operator_id: 3,
        operator_name: 'Anna Berg',
        role: 'decider',
        permissions: ['view', 'decide'],
        key_id: 3,
        session_id: 41,
      },
    ],
  },
)

export const sessionOperatorRoutes = (
  config: SessionLimits & { readonly consoleOrigin: string; readonly keySignIn: boolean },
): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/me/',
    operationId: 'readMe',
    tag: 'Access',
    permission: 'view',
    summary: 'Read who you are',
    description: 'Your name, your role and what it may do.',
    data: Me,
    refusals: [],
    handle: async ({ actor }) => ({
      operator_id: actor.operator_id,
      operator_name: actor.operator_name,
      role: actor.role,
      permissions: [...roles[actor.role]],
      key_id: actor.key_id,
      session_id: actor.session?.session_id ?? null,
    }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/sessions/',
    operationId: 'signIn',
    configures: true,
    tag: 'Access',
    permission: 'view',
    trace: 'audit session_started',
    summary: 'Sign in',
    description:
      'Starts a session for a browser, with the role of the key that the request is sent with. The token is not in the response: it is in a cookie that scripts cannot read. Further requests need no Authorization header; changes are accepted only from pages of the same origin. The session ends when it is signed out, expires, is not used for long, or its key is revoked. An operator has at most 20: the oldest ends when another is started.',
    form: {},
    data: refer(SignedSession),
    refusals: ['key_required', 'key_sign_in_off'],
    handle: async ({ db, actor, request_id, browser }) => {
      if (!config.keySignIn) {
        await recordRefusedSignIn(db, { actor: operatorActor(actor), request_id })
        throw new Refusal('key_sign_in_off', {})
      }
      // A session must not prolong itself.
      if (actor.session !== undefined) throw new Refusal('key_required', {})
      const { session, token } = await startSession(db, {
        operator_id: actor.operator_id,
        key_id: actor.key_id,
        role: actor.role,
        sessionHours: config.sessionHours,
        sessionIdleMinutes: config.sessionIdleMinutes,
        request_id,
      })
      const secure = mustBeSecure(browser.host, config.consoleOrigin)
      browser.setCookie(sessionCookie(token, { secure, maxAgeSeconds: config.sessionHours * 3_600 }))
      return session
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/me/sign-out/',
    operationId: 'signOut',
    changesKeys: true,
    urgency: 'orders',
    tag: 'Access',
    permission: 'view',
    trace: 'audit session_ended',
    summary: 'Sign out',
    description:
      'Ends the session of the request, or with `everywhere` all sessions of the same key or person. Every process refuses them within 5 seconds.',
    form: {
      everywhere: optional(
        flag({ description: 'Whether all your sessions end. By default only this one.', example: true }),
      ),
    },
    data: Type.Object({ sessions_ended: Type.Integer({ description: 'How many sessions were ended.' }) }),
    refusals: [],
    handle: async ({ db, actor, form, request_id, browser }) => {
      const ended = await signOut(db, { operator: actor, everywhere: form.everywhere ?? false, request_id })
      if (actor.session !== undefined)
        browser.setCookie(endedCookie({ secure: mustBeSecure(browser.host, config.consoleOrigin) }))
      return ended
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/sessions/',
    operationId: 'listSessions',
    tag: 'Access',
    permission: 'administer',
    summary: 'List sessions',
    description: 'Newest first, with those that have ended. They are kept for three months.',
    query: pageFields,
    data: refer(SignedSession),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listSessions(db, page),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/sessions/{session_id}/',
    operationId: 'endSession',
    configures: true,
    changesKeys: true,
    urgency: 'orders',
    tag: 'Access',
    permission: 'administer',
    trace: 'audit session_ended',
    summary: 'End a session',
    description: 'Every process refuses it within 5 seconds. Ending it again changes nothing.',
    params: { session_id: id('The session.', 41) },
    data: refer(SignedSession),
    refusals: ['session_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      endSession(db, { session_id: params.session_id, actor: operatorActor(actor), request_id }),
  }),
]
