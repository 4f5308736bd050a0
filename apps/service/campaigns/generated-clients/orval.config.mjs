/** The base URL is a constant of the generated file, so the test gives it here. */
export default {
  parts: {
    input: 'openapi.json',
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: process.env.BASE_URL ?? '' },
  },
}
