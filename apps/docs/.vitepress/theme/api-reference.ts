/** The reference of one side of the API: Scalar, in a page of the site. Its script is loaded by these pages only. */
import { useData, useRouter, withBase } from 'vitepress'
import { defineComponent, h, onMounted, ref, watch } from 'vue'

interface Scalar {
  createApiReference: (place: Element, settings: object) => { updateConfiguration: (settings: object) => void }
}

export const ApiReference = defineComponent({
  setup() {
    const { frontmatter, isDark } = useData()
    const place = ref<Element>()
    const problem = ref('')
    const router = useRouter()
    onMounted(async () => {
      // Scalar's styles would stay, so other pages are loaded in full.
      router.onBeforeRouteChange = (to) => {
        const isHere = new URL(to, location.href).pathname === location.pathname
        if (!isHere) location.assign(to)
        return isHere
      }
      const answer = await fetch(frontmatter.value['document'])
      if (!answer.ok) {
        problem.value = 'This address does not serve this side of the API.'
        return
      }
      const content = prepared(await answer.json())
      const { createApiReference } = await loadScalar()
      if (place.value === undefined) return
      const settings = () => ({ ...fixed, content, forceDarkModeState: isDark.value ? 'dark' : 'light' })
      place.value.replaceChildren()
      const reference = createApiReference(place.value, settings())
      watch(isDark, () => reference.updateConfiguration(settings()))
    })
    return () =>
      h('div', { class: 'vp-raw reference' }, [
        problem.value === ''
          ? h('div', { ref: place }, [h('p', { class: 'loading' }, 'Loading the reference …')])
          : h('p', { class: 'loading' }, [
              problem.value,
              ' ',
              h('a', { href: withBase(frontmatter.value['operations']) }, 'Read its operations'),
            ]),
      ])
  },
})

const fixed = {
  documentDownloadType: 'none', // The introduction has a link.
  hideSearch: true, // The site's search finds operations too.
  hideClientButton: true, // It leads to a service of Scalar's, as do the next four.
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false, // They come from elsewhere.
  persistAuth: false, // A key would stay in the browser's storage, for every script of this origin and the next person.
  hideDarkModeToggle: true, // The site has one.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  customCss: '[tabindex="-1"]:focus-visible { outline: none }', // Of the operation that a link leads to.
}

async function loadScalar(): Promise<Scalar> {
  const script = document.createElement('script')
  script.src = withBase('/scalar.js')
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
  })
  document.head.append(script)
  await loaded
  return (globalThis as unknown as { Scalar: Scalar }).Scalar
}

/** The document with examples that can be sent as they are. */
function prepared(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(prepared)
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, of]) => [name, prepared(of)]),
  )
  const daysAhead = copy['x-days-ahead']
  if (typeof daysAhead === 'number') return { ...copy, examples: [dayAfter(daysAhead)] }
  const form = copy['application/x-www-form-urlencoded'] as FormBody | undefined
  if (form !== undefined && form.schema.required === undefined) fillForm(form)
  return copy
}

interface FormBody {
  readonly schema: {
    readonly required?: readonly string[]
    readonly properties: Readonly<Record<string, { readonly examples: readonly unknown[] }>>
  }
  examples?: object
}

/** An example that is written down would be in the past one day. */
const dayAfter = (days: number): string => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)

/** Scalar sends the required fields of a form; here none is, but one must be sent. This is its own form of such a body. */
function fillForm(form: FormBody): void {
  const rows = Object.entries(form.schema.properties).map(([name, { examples }]) => ({
    name,
    value: String(examples[0]),
    isDisabled: false,
  }))
  form.examples = { filled: { value: rows } }
}
