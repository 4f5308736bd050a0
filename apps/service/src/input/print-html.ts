/** HTML for paper: a template that escapes every value, one style sheet, and a policy that allows nothing else. */
import { hash } from 'node:crypto'

/** Text that is HTML already. Only `html` makes it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Shown = string | number | Html | readonly Html[]

/** A template. Values are escaped unless they are made by `html` themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Shown[]): Html {
  const shown = values.map((value) =>
    value instanceof Html
      ? value.text
      : typeof value === 'object'
        ? value.map(({ text }) => text).join('')
        : escaped(String(value)),
  )
  return new Html(parts.reduce((all, part, n) => `${all}${shown[n - 1] ?? ''}${part}`))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const style = `@page{size:A4;margin:15mm 15mm 18mm}
body{font:10pt/1.35 system-ui,sans-serif;color:#000;max-width:180mm;margin:0 auto;padding:4mm}
h1{font-size:16pt;margin:0 0 6mm;break-after:avoid}h2{font-size:12pt;margin:6mm 0 1mm}
.head{display:grid;grid-template-columns:minmax(0,80mm) minmax(0,1fr);gap:10mm;margin-bottom:4mm}.address{margin:0;font-size:11pt;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:0 4mm;margin:0 0 2mm}dt{color:#444}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed;font-size:9pt}th,td{border-bottom:.3pt solid #666;padding:1.2mm 1.5mm;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{border-bottom:1pt solid #000;font-size:8pt;vertical-align:bottom}.article{width:32mm}.barcode{width:27mm}thead{display:table-header-group}tr,h2{break-inside:avoid}h2,dl{break-after:avoid}
.n{width:16mm;text-align:right;overflow-wrap:normal;font-variant-numeric:tabular-nums}.box{width:11mm;text-align:center}
.tick{display:inline-block;width:4mm;height:4mm;border:.6pt solid #000}.end{margin-top:4mm}
@media print{body{padding:0;max-width:none}}`

/** Nothing but this style: no script, no image, no frame, no form, nothing from elsewhere. */
export const printPolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function printedPage(title: string, content: Html): string {
  const page = html`<title>${title}</title>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${page.text}<style>${style}</style></head><body><h1>${html`${title}`.text}</h1>${content.text}</body></html>\n`
}
