/** What the service says about itself, and whether it is ready. */
import { withBase } from 'vitepress'
import { defineComponent, h, onMounted, ref } from 'vue'

interface Installation {
  readonly service_version: string
  readonly time_zone: string
  readonly limits: Readonly<Record<string, { readonly value: number | string; readonly about: string }>>
}

export const InstallationTable = defineComponent({
  setup() {
    const rows = ref<readonly (readonly [string, string, string])[]>([])
    const state = ref('Reading …')
    onMounted(async () => {
      const [answer, ready] = await Promise.all([fetch(withBase('/installation.json')), fetch('/readyz')])
      state.value = ready.ok
        ? 'The service is ready.'
        : `The service is not ready: it answers ${ready.status} at /readyz.`
      if (!answer.ok) return
      const { service_version, time_zone, limits } = (await answer.json()) as Installation
      rows.value = [
        ['service_version', service_version, 'The release of the service.'],
        ['time_zone', time_zone, 'The zone of all days and times in requests and responses.'],
        ...Object.entries(limits).map(([name, { value, about }]) => [name, String(value), about] as const),
      ]
    })
    return () => [
      h('p', { role: 'status' }, state.value),
      rows.value.length === 0
        ? null
        : h('table', [
            h(
              'thead',
              h(
                'tr',
                ['name', 'value', 'meaning'].map((title) => h('th', title)),
              ),
            ),
            h(
              'tbody',
              rows.value.map(([name, value, about]) =>
                h('tr', [h('td', h('code', name)), h('td', value), h('td', about.replaceAll('`', ''))]),
              ),
            ),
          ]),
    ]
  },
})
