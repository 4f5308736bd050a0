/** The reference: OpenAPI 3.1 generated from the routes, at `/openapi.json`, and a readable page of it at `/docs/`. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { scopes } from '../access/actor.ts'
import { failureExamples } from '../http/envelope.ts'
import { errorCodeTable } from './render-errors.ts'
import { eventTypeTable } from './render-event-types.ts'

const description = `
Carts, orders, rescheduling, cancellation and adjustments for dealers' programs.

**Keys.** Send your API key alone as the value of the \`Authorization\` header, without a word before it. Keys have scopes (${scopes.map((scope) => `\`${scope}\``).join(', ')}); an operation that needs one says so by answering 403 \`scope_missing\` with its name.

**Requests.** PUT and PATCH take \`application/x-www-form-urlencoded\` in UTF-8, at most 16 KiB. Fields are strict: an unknown or repeated field, a control character, or a number in anything but plain decimal digits is refused with the field's name, and all bad fields are reported at once. Text is trimmed and normalised to NFC. Both path forms work, with and without the trailing slash.

**Answers.** Success is always 200 with \`{"status":"ok","data":…}\`; failure is \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`. Branch on \`code\`, read the figures from \`details\`, show \`message\` to people. Every answer carries \`X-Request-Id\`; a plain one of your own is kept.

**The distributor's side** lives under \`/operator/v1/\` and takes operator keys, which open nothing else; clients' keys open nothing there. Bodies are JSON objects, with the same strictness; each key has a role, and an operation that it does not allow answers 403 \`role_missing\` with the roles that do.

**Lists.** Paged lists take \`limit\` and \`cursor\` and answer with \`paging.next_cursor\`, null on the last page; the same address stands in the \`Link\` header.

**Rates.** A key may make so many requests a second, and more at once after a pause (50 and 100, if the distributor has not agreed on other figures with you). Every answer to a valid key tells them in \`RateLimit-Policy: "key";q=100;w=2\`, 100 requests at once, of which all are there again after 2 seconds, and what is left in \`RateLimit: "key";r=99;t=1\`. What is too much is answered with 429 \`rate_limited\` and \`Retry-After\`, and changes nothing. Operator keys are not limited.

**Safe retries.** Reading, deleting, cancelling, rescheduling, adjusting and placing an order can be repeated after a lost answer without doing anything twice. Creating a cart, adding an item, making a webhook endpoint and rotating its secret happen each time, unless the request carries an \`Idempotency-Key\` header: within 24 hours the same key with the same fields does nothing more and gets the first answer again, and with other fields it is refused. Other operations ignore the header, since they do not need it.

**Events.** Every change is an event, numbered for each client without gaps, and carries the order or the adjustment as it was then: \`GET /api/v1/events/\` reads them, and waits for the next.

**Changes.** \`/api/v1/\` changes only by addition: new optional fields, operations, states and error codes. Ignore what you do not know.

<details><summary>All types of events</summary>

${eventTypeTable()}

</details>

<details><summary>All error codes, and what to do</summary>

${errorCodeTable()}

</details>
`.trim()

export async function serveReference(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Parts Ordering Service',
        version: '1.0.0',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      tags: [
        { name: 'Carts', description: 'What the client is about to order.' },
        { name: 'Cart items', description: 'The lines of a cart, in groups that become orders.' },
        { name: 'Orders', description: 'Placing, reading, rescheduling and cancelling.' },
        { name: 'Order items', description: 'The lines of an order, and wishes to adjust them.' },
        { name: 'Events', description: 'What has happened, without asking for each thing.' },
        { name: 'Webhooks', description: 'Having events sent to programs of the client.' },
        { name: 'Lookups', description: 'Where the values of the other operations come from.' },
        { name: 'Operator: decisions', description: "The distributor's side: what waits, and deciding it." },
        { name: 'Operator: orders', description: "The distributor's side: all clients' orders, and moving them." },
        { name: 'Operator: events', description: "The distributor's side: everything that happens, as it happens." },
        { name: 'Operator: clients', description: "The distributor's side: clients and their keys." },
        {
          name: 'Operator: catalogue',
          description: "The distributor's side: goods, prices, stock, and importing them.",
        },
        { name: 'Operator: access', description: "The distributor's side: who may use it." },
        { name: 'Operator: system', description: "The distributor's side: whether all is well." },
      ],
      components: {
        examples: failureExamples,
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The API key alone, without a scheme word.',
          },
        },
      },
      security: [{ apiKey: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${index}`,
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', persistAuthorization: true, tryItOutEnabled: true },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}
