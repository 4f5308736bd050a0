/** The reference: OpenAPI 3.1 generated from the routes, at `/openapi.json`, and as a page at `/docs/`. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { scopes } from '../access/actor.ts'
import { failureExamples } from '../http/envelope.ts'
import { renderErrorTable } from './render-errors.ts'
import { renderEventTypeTable } from './render-event-types.ts'

const description = `
A JSON API that lets dealers' software order parts from a distributor: carts, orders, rescheduling, cancellation and adjustments.

**Authentication.** Send your API key as the whole value of the \`Authorization\` header, without a scheme word such as Bearer. Keys have scopes (${scopes.map((scope) => `\`${scope}\``).join(', ')}). A request whose key lacks the scope it needs gets 403 \`scope_missing\`, which names the scope.

**Requests.** PUT and PATCH take \`application/x-www-form-urlencoded\` in UTF-8, at most 16 KiB. Validation is strict: unknown and repeated fields, control characters, and numbers in any form but plain decimal digits are refused. The response names every invalid field. Text is trimmed and normalised to NFC. Paths work with and without the trailing slash.

**Responses.** A successful request gets 200 with \`{"status":"ok","data":…}\`. A failed one gets \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`: branch on \`code\`, read figures from \`details\`, and show \`message\` to people. Every response has an \`X-Request-Id\` header. If your request has one, it is kept.

**Lists.** Paged lists take \`limit\` and \`cursor\`. \`paging.next_cursor\` is the cursor of the next page, or null on the last page; the \`Link\` header has the URL of the next page.

**Rate limits.** Each key has a rate and a burst: by default 50 requests a second, and 100 at once after a pause. Responses report both in \`RateLimit-Policy: "key";q=100;w=2\` (100 requests at once, fully regained after 2 seconds) and what is left in \`RateLimit: "key";r=99;t=1\`. Requests over the limit get 429 \`rate_limited\` with \`Retry-After\`, and change nothing. Operator keys are not limited.

**Safe retries.** When a response is lost, send the request again. Reading, deleting, cancelling, rescheduling, adjusting and placing an order never happen twice. Creating a cart, adding an item, creating a webhook endpoint and rotating its secret do, unless the request has an \`Idempotency-Key\` header: for 24 hours, a retry with the same key and the same fields changes nothing and gets the first response, and the same key with other fields is refused. Other operations do not need the header and ignore it.

**Events.** Every change is recorded as an event, numbered per client without gaps, with the order or the adjustment as it was at that moment. \`GET /api/v1/events/\` reads them and can wait for the next one; webhooks send them to you.

**Operator API.** The distributor's operations are under \`/operator/v1/\` and take operator keys. An operator key is not valid under \`/api/v1/\`, nor a client's key here. Bodies are JSON objects, validated as strictly as forms. Each key has a role; a request that the role does not allow gets 403 \`role_missing\`, which names the roles that do.

**Compatibility.** \`/api/v1/\` changes only by addition: new optional fields, operations, states, event types and error codes. Ignore what you do not know.

<details><summary>All event types</summary>

${renderEventTypeTable()}

</details>

<details><summary>All error codes, and what to do</summary>

${renderErrorTable()}

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
        { name: 'Carts', description: 'Items that a client is going to order.' },
        { name: 'Cart items', description: 'The lines of a cart, in groups. Each group becomes an order.' },
        { name: 'Orders', description: 'Place, read, reschedule and cancel orders.' },
        { name: 'Order items', description: 'The lines of an order, and requests to adjust them.' },
        { name: 'Events', description: 'Everything that changed, in order.' },
        { name: 'Webhooks', description: "Send events to the client's own software." },
        { name: 'Lookups', description: 'Items, stocks, contracts and other values that the operations take.' },
        {
          name: 'Operator: decisions',
          description: 'Requests that wait for the distributor, and the decisions on them.',
        },
        { name: 'Operator: orders', description: "All clients' orders, and moving them from state to state." },
        { name: 'Operator: events', description: 'The feed of all events of all clients.' },
        { name: 'Operator: clients', description: 'Clients, their contracts, contacts and keys.' },
        {
          name: 'Operator: catalogue',
          description: 'Items, prices and stock levels, and importing them.',
        },
        { name: 'Operator: access', description: 'The keys of operators.' },
        { name: 'Operator: system', description: 'Checks of the stored data.' },
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
    transform: ({ schema: { failures, ...schema }, url }) => ({
      schema: { ...schema, response: { ...Object(schema.response), ...failures } },
      url,
    }),
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
