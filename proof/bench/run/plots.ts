/** Plots, as SVG by hand: libraries that draw SVG in Node need a DOM (Plot, Chartist) or are large (ECharts). */
import { percentages } from './figures.ts'
import type { FullResult } from './report.ts'

const colours = { bare: '#b9c4cf', service: '#2f6f9f' }

/** Bars of both sides for each operation. Each pair has its own scale, because rates differ by a factor of a hundred. */
export function plotRates(results: readonly FullResult[], database: string): string {
  const [left, top, width, pairHeight] = [170, 44, 480, 46]
  const pairs = results.map(({ operation, bare, service, ratio }, n) => {
    const scale = width / Math.max(bare ?? 0, service)
    const y = top + n * pairHeight
    const bar = (value: number, offset: number, colour: string, note: string): string =>
      `<rect x="${left}" y="${y + offset}" width="${(value * scale).toFixed(1)}" height="15" fill="${colour}"/>` +
      `<text x="${left + value * scale + 6}" y="${y + offset + 12}">${value.toLocaleString('en')}/s${note}</text>`
    return [
      `<text x="${left - 10}" y="${y + 20}" text-anchor="end" font-weight="bold">${operation}</text>`,
      ...(bare === null ? [] : [bar(bare, 0, colours.bare, '')]),
      bar(service, bare === null ? 8 : 17, colours.service, ratio === null ? '' : ` · ${ratio.toFixed(2)} of bare`),
    ].join('')
  })
  return svg(
    { width: left + width + 190, height: top + results.length * pairHeight + 10 },
    `${database}: PostgreSQL alone (grey) and through the service (blue)`,
    pairs,
  )
}

/** Latencies below the peak rate, a panel for each operation: percentiles to the right, milliseconds upwards (log). */
export function plotTails(results: readonly FullResult[], database: string, rate: string): string {
  const [left, top, width, height, gap] = [50, 60, 210, 110, 66]
  const measured = results.flatMap(({ operation, paced }) => (paced === null ? [] : [{ operation, paced }]))
  const columns = Math.min(3, measured.length)
  const all = measured.flatMap(({ paced }) => [...paced.service.percentiles_ms, ...paced.bare.percentiles_ms])
  const [lowest, highest] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))]
  const y = (ms: number): number => height * (1 - (Math.log10(ms) - lowest) / (highest - lowest))
  const x = (n: number): number => (width * n) / (percentages.length - 1)
  const line = (values: readonly number[], colour: string): string =>
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${values.map((ms, n) => `${x(n).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')}"/>`
  const decades = Array.from({ length: highest - lowest + 1 }, (_, n) => 10 ** (lowest + n))
  const panels = measured.map(({ operation, paced }, n) =>
    [
      `<g transform="translate(${left + (n % columns) * (width + gap)} ${top + Math.floor(n / columns) * (height + gap)})">`,
      `<text x="0" y="-10" font-weight="bold">${operation}</text>`,
      ...decades.map(
        (ms) =>
          `<line x1="0" x2="${width}" y1="${y(ms)}" y2="${y(ms)}" stroke="#ddd"/><text x="-6" y="${y(ms) + 4}" text-anchor="end">${ms}</text>`,
      ),
      ...percentages.map(
        (each, place) => `<text x="${x(place)}" y="${height + 16}" text-anchor="middle">${each}</text>`,
      ),
      line(paced.bare.percentiles_ms, colours.bare),
      line(paced.service.percentiles_ms, colours.service),
      '</g>',
    ].join(''),
  )
  return svg(
    {
      width: Math.max(720, left + columns * (width + gap)),
      height: top + Math.ceil(measured.length / columns) * (height + gap),
    },
    `${database}: milliseconds by percentile at ${rate}, PostgreSQL alone (grey) and through the service (blue)`,
    panels,
  )
}

function svg(size: { width: number; height: number }, title: string, shapes: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="10" y="20" font-size="15">${title}</text>`,
    ...shapes,
    '</svg>\n',
  ].join('\n')
}
