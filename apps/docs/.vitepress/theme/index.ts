import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import { ApiReference } from './api-reference.ts'
import { InstallationTable } from './installation-table.ts'
import { shareLanguage } from './share-language.ts'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('api-reference', ApiReference)
    app.component('InstallationTable', InstallationTable)
  },
  setup: shareLanguage,
} satisfies Theme
