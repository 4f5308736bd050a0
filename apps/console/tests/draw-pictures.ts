/**
 * Draws the pictures of the console for the documentation, from a real service: `node apps/console/tests/draw-pictures.ts`.
 * They are WebP, which is half the size of PNG; Chromium encodes it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openDesk } from './desk.ts'
import { goToStop, stopsOf } from './tour.ts'

export const pictureNames: readonly string[] = [
  'today',
  'inbox',
  'orders',
  'order',
  'order-again',
  'clients',
  'client',
  'goods',
  'item',
  'stocks',
  'imports',
  'import',
  'activity',
  'settings',
]

export const folder = join(import.meta.dirname, '../../../docs/images/console')

if (import.meta.main) {
  const desk = await openDesk({ worker: false })
  try {
    const stops = await stopsOf(desk)
    const page = await desk.open('admin', '/', { viewport: { width: 1120, height: 640 }, colorScheme: 'light' })
    const encoder = await page.context().newPage()
    mkdirSync(folder, { recursive: true })
    for (const stop of stops) {
      if (!pictureNames.includes(stop.name)) continue
      await goToStop(page, desk.origin, stop)
      const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
      writeFileSync(join(folder, `${stop.name}.webp`), await webpOf(encoder, png))
    }
  } finally {
    await desk.close()
  }
}

async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const encoded = await page.evaluate(
    async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.8)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64')
}
