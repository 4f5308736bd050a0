interface DescribedSetting {
  readonly variable: string
  readonly meaning: string
  readonly defaultText: string | undefined
}

/** `docs/reference/configuration.md`. `secrets` may also stand in a file. */
export function renderConfigurationPage(settings: readonly DescribedSetting[], secrets: readonly string[]): string {
  return `# Configuration: all settings

Generated from \`apps/service/src/config.ts\` by \`npm run generate\`.

All settings are environment variables. Invalid ones are reported together, before anything starts. Not listed here: \`DEMO_DATA_DIR\`, where \`npm run demo\` keeps its data, and the variables of [\`parts\`](command-line.md).

Secrets may stand in files: ${secrets.map((name) => `\`${name}_FILE\``).join(', ')} name a file with the value, whose last line break is left out. Setting the variable too is an error.

| variable | default | meaning |
|---|---|---|
${settings.map(settingRow).join('\n')}
`
}

function settingRow({ variable, meaning, defaultText }: DescribedSetting): string {
  const shown = defaultText === undefined ? 'required' : defaultText === '' ? 'none' : `\`${defaultText}\``
  return `| \`${variable}\` | ${shown} | ${meaning} |`
}
