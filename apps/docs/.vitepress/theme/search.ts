/**
 * How the search reads a question. The index has the words of the pages as they are; what a reader may say instead is
 * added to the question. `search.test.ts` asks thirty questions.
 */
import type { Options, SearchOptions } from 'minisearch'

/** Words of a question that are in every page, or in none that answers it. */
const filler = new Set(
  'a an and any are at be by can could do does for from get go how i if in into is it me must my need needs not of on or our shall should so tell than that the their them there they this to us want wants was we what when where which who why will with without would you your'.split(
    ' ',
  ),
)

/** What readers say, and what the pages say. */
const alike: Readonly<Record<string, readonly string[]>> = {
  article: ['item', 'goods'],
  auth: ['key', 'authorization'],
  basket: ['cart'],
  broken: ['fault', 'unavailable'],
  buy: ['order'],
  crash: ['restore', 'fault'],
  delivery: ['shipping', 'shipment'],
  disk: ['disk', 'gb'],
  install: ['run', 'deploy', 'install'],
  invoice: ['price', 'total'],
  login: ['sign', 'key'],
  memory: ['memory', 'gb'],
  part: ['part', 'parts', 'item'],
  product: ['item', 'goods'],
  promise: ['versions', 'change'],
  ram: ['memory', 'gb'],
  slow: ['slow', 'slowly'],
  throttle: ['rate', 'limit'],
  token: ['key'],
  undo: ['undo', 'back'],
  warehouse: ['stock'],
}

function processTerm(term: string): string[] | null {
  const word = term.toLowerCase()
  if (filler.has(word)) return null
  return [...new Set([word, stemOf(word), ...(alike[word] ?? alike[stemOf(word)] ?? [])])]
}

/** The search also finds longer words, so the beginning of a word stands for its forms. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s)$/, '')
  return stem.length >= 3 ? stem : word
}

/** Settings have one table, in which each is a line: other pages have its name more often. */
let asksForSetting = false

function tokenize(question: string): string[] {
  asksForSetting = /\b[A-Z]+(?:_[A-Z]+)+\b/.test(question)
  return question.split(/[\n\r\p{Z}\p{P}]+/u)
}

/** Guides answer most questions; lists of everything and reasons come after them. */
function boostDocument(id: string): number {
  if (asksForSetting && /\/reference\/configuration\b/.test(id)) return 10
  if (/\/(?:changelog|contributing|roadmap|client\/changelog)\b/.test(id)) return 0.2
  if (/\/explanation\//.test(id)) return 0.35
  if (/\/alerts\//.test(id)) return 0.7
  if (/\/reference\/(?:operator-)?operations\//.test(id)) return 0.6
  if (/\/reference\/(?:contract|traces|event-types|metrics)\b/.test(id)) return 0.6
  return 1
}

export const searchOptions: SearchOptions = {
  boost: { title: 3, titles: 2, text: 1 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  weights: { prefix: 0.4, fuzzy: 0.2 },
  tokenize,
  processTerm,
  boostDocument,
}

/** As the box of VitePress reads the index, for the test. */
export const indexOptions: Options = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions,
}
