/** The site: VitePress builds the pages that `stage.ts` has written. */
import { defineConfig, type DefaultTheme } from 'vitepress'
import { readers } from '../site-map.ts'

const sidebar: DefaultTheme.SidebarItem[] = readers.map(({ title, groups }) => ({
  text: title,
  collapsed: true,
  items: groups.map((group) => ({
    text: group.title,
    ...(group.collapsed === true ? { collapsed: true } : {}),
    items: group.pages.map(({ title, path }) => ({ text: title, link: `/${path.replace(/(^|\/)index$/, '$1')}` })),
  })),
}))

export default defineConfig({
  title: 'Parts Ordering Service',
  titleTemplate: ':title · Parts Ordering Service',
  description: "A JSON API that lets dealers' software order parts from a distributor.",
  base: '/docs/',
  srcDir: '.site',
  outDir: '.site/dist',
  cacheDir: '.site/cache',
  cleanUrls: true,
  router: { prefetchLinks: false }, // The service limits the requests of an address that sends no key.
  metaChunk: true, // Otherwise each page repeats the list of all files.
  ignoreDeadLinks: false,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: githubSlug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/tutorial/first-order' },
      { text: 'Reference', link: '/api' },
      { text: 'Errors', link: '/reference/errors' },
    ],
    sidebar,
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local', options: { detailedView: false } },
    externalLinkIcon: true,
  },
})

/** As GitHub does it, so that links to headings work there too. */
function githubSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
