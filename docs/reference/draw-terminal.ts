/** Draws the pictures of the program in a terminal: `node docs/reference/draw-terminal.ts`, after a change of its output. */
import { writeFileSync } from 'node:fs'
import { captureScreens, drawScreen } from './terminal-screens.ts'

for (const screen of await captureScreens())
  writeFileSync(new URL(`../images/terminal/${screen.name}.svg`, import.meta.url), drawScreen(screen))
