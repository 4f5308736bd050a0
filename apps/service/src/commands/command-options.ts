/** The options that a command was started with: true, or their value. */
export type CommandOptions = Readonly<Record<string, string | boolean | undefined>>
