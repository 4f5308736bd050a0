interface DescribedSetting {
  readonly variable: string
  readonly meaning: string
  readonly defaultText: string | undefined
}

/** `docs/reference/configuration.md`. */
export function renderConfigurationPage(settings: readonly DescribedSetting[]): string {
  return `# Configuration

Generated from \`apps/service/src/config.ts\` by \`npm run generate\`.

All settings are environment variables. Invalid ones are reported together, before anything starts. Not listed here: \`DEMO_DATA_DIR\`, where \`npm run demo\` keeps its data, and the variables of [\`parts\`](command-line.md).

| variable | default | meaning |
|---|---|---|
${settings.map(settingRow).join('\n')}
`
}

function settingRow({ variable, meaning, defaultText }: DescribedSetting): string {
  const shown = defaultText === undefined ? 'required' : defaultText === '' ? 'none' : `\`${defaultText}\``
  return `| \`${variable}\` | ${shown} | ${meaning} |`
}
