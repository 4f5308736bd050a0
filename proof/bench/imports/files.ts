/** Writes the CSV files of a catalogue: items, three prices and three stock levels of each. */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'

export interface ImportFile {
  readonly kind: 'items' | 'prices' | 'stock-levels'
  readonly path: string
  readonly rows: number
}

const brands = 200
const words = ['Brake', 'disc', 'filter', 'oil', 'vented', 'front', 'rear', 'left', 'right', 'kit', 'original', 'set']

export const brandName = (n: number): string => `Brand ${n % brands}`
export const brandNames = Array.from({ length: brands }, (_, n) => brandName(n))

export const writeItems = (folder: string, items: number): Promise<ImportFile> =>
  write(
    folder,
    'items',
    items,
    'item_id,item_vendor_code,item_barcode,item_title,brand_name,product_id,product_name,on_sale',
    (n) => {
      const id = n + 1
      const title = [0, 1, 2, 3].map((k) => words[(id * (k + 3) + (id >> (k + 2))) % words.length]).join(' ')
      return `${id},V-${id},400${String(id).padStart(10, '0')},"${title}, ${id % 500} mm",${brandName(id)},${Math.ceil(id / 2)},Product ${Math.ceil(id / 2)},true`
    },
  )

/** `shift` changes every value. */
export const writePrices = (folder: string, items: number, shift = 0): Promise<ImportFile> =>
  write(
    folder,
    'prices',
    items * 3,
    'price_list_id,item_id,price',
    (n) => `${(n % 3) + 1},${Math.floor(n / 3) + 1},${(((n * 7) % 90_000) / 100 + 1 + shift).toFixed(2)}`,
  )

export const writeLevels = (folder: string, items: number, shift = 0): Promise<ImportFile> =>
  write(
    folder,
    'stock-levels',
    items * 3,
    'stock_id,item_id,on_hand',
    (n) => `${(n % 3) + 1},${Math.floor(n / 3) + 1},${1000 + ((n * 7) % 900) + shift}`,
  )

async function write(
  folder: string,
  kind: ImportFile['kind'],
  rows: number,
  header: string,
  row: (n: number) => string,
): Promise<ImportFile> {
  const path = join(folder, `${kind}-${Math.random().toString(36).slice(2)}.csv`)
  const file = createWriteStream(path)
  file.write(`${header}\n`)
  for (let n = 0; n < rows; n += 10_000) {
    const lines = Array.from({ length: Math.min(10_000, rows - n) }, (_, k) => row(n + k))
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
  return { kind, path, rows }
}
