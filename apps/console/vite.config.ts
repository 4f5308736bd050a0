/** Builds the console into `dist/`, which the API serves under `/console/`. */
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2024',
    assetsInlineLimit: 0, // The policy allows no data: scripts or styles.
    modulePreload: { polyfill: false },
    // React's server components know "use client"; a bundle for browsers does not need it.
    rolldownOptions: {
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
    manifest: 'manifest.json', // For the test of sizes.
  },
  server: { proxy: { '/operator': 'http://127.0.0.1:8080' } },
})
