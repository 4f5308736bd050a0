/** Shows the API reference in the page. */
/* global document, fetch, Scalar */
const place = document.querySelector('#reference')
const answer = await fetch(place.dataset.document)
Scalar.createApiReference(place, {
  content: prepared(await answer.json()),
  documentDownloadType: 'none', // The introduction has a link.
  hideClientButton: true, // It leads to a service of Scalar's, as do the next four.
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false, // They come from elsewhere.
  persistAuth: false, // A key would stay in the browser's storage, for every script of this origin and the next person.
  hideDarkModeToggle: true, // The pictures follow the system, and so does the page.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  customCss: '[tabindex="-1"]:focus-visible { outline: none }', // Of the operation that a link leads to.
})

/** The document with examples that can be sent as they are. */
function prepared(value) {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(prepared)
  const copy = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, prepared(of)]))
  const daysAhead = copy['x-days-ahead']
  if (daysAhead !== undefined) return { ...copy, examples: [dayAfter(daysAhead)] }
  const form = copy['application/x-www-form-urlencoded']
  if (form?.schema.required === undefined) fillForm(form)
  return copy
}

/** An example that is written down would be in the past one day. */
function dayAfter(days) {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

/** Scalar sends the required fields of a form; here none is, but one must be sent. This is its own form of such a body. */
function fillForm(form) {
  if (form === undefined) return
  const rows = Object.entries(form.schema.properties).map(([name, { examples }]) => ({
    name,
    value: String(examples[0]),
    isDisabled: false,
  }))
  form.examples = { filled: { value: rows } }
}
