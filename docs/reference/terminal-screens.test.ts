/** Compares the pictures of the program with what a real terminal shows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../apps/cli/src/text.ts'
import { captureScreens, drawScreen, shapeOf } from './terminal-screens.ts'

test('the pictures of the program show what a terminal shows, apart from figures, and every line fits', async () => {
  const screens = await captureScreens()
  for (const screen of screens) {
    for (const line of screen.lines) assert(widthOf(stripVTControlCharacters(line)) <= screen.columns, line)
    const picture = readFileSync(new URL(`../images/terminal/${screen.name}.svg`, import.meta.url), 'utf8')
    const again = 'Draw it again: node docs/reference/draw-terminal.ts'
    assert.equal(shapeOf(picture), shapeOf(drawScreen(screen)), `${screen.name} has changed. ${again}`)
  }
  assert.equal(screens.length, 3)
})
