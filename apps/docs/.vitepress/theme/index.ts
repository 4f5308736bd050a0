import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import { ApiReference } from './api-reference.ts'
import { InstallationTable } from './installation-table.ts'
import { searchOptions } from './search.ts'
import { shareLanguage } from './share-language.ts'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData }) {
    // Set here, because functions in config.ts would be evaluated from texts, which the policy forbids.
    siteData.value.themeConfig.search.options.miniSearch = { searchOptions }
    app.component('api-reference', ApiReference)
    app.component('InstallationTable', InstallationTable)
  },
  setup: shareLanguage,
} satisfies Theme
