import type { ExplainCase, CaseValue } from './explain-case.ts'
import type { SampledValues } from './sample.ts'

const scan_max = 2000 // Candidates per page, as in list-items.ts.
const matches_max = 20

const searched = (search: string) => ({ search, words: [search] })

export function catalogueExplainCases(sample: SampledValues): ExplainCase[] {
  const { client_id, contact_id, contract_id, stock_id, item } = sample
  const articles = sample.orderable.slice(-100).map(({ article }) => article)
  const list = (
    variant: string,
    filter: Readonly<Record<string, CaseValue>>,
    atLeast: number,
    bound?: number,
  ): ExplainCase => ({
    statement: 'list-items',
    variant,
    values: {
      client_id, contract_id: null, articles: null, search: null, words: null, brand_id: null, stock_id: null, after_id: 0,
      page_size: 101, scan_max, matches_max,
      ...filter,
    }, // prettier-ignore
    atLeast,
    ...(bound !== undefined && { bound }),
  })
  return [
    { statement: 'find-client-key', variant: '', values: { key_id: client_id } },
    { statement: 'changed-client-keys', variant: '', values: { most: 1000 }, atLeast: 0 },
    { statement: 'describe-service', variant: '', values: { client_id, contact_id, key_id: client_id } },
    { statement: 'list-contracts', variant: '', values: { client_id }, atLeast: 2 },
    { statement: 'list-stocks', variant: '', values: { client_id }, atLeast: 2 },
    {
      statement: 'read-item',
      variant: 'default contract',
      values: { client_id, contract_id: null, item_id: item.item_id },
      atLeast: 2,
    },
    {
      statement: 'read-item',
      variant: 'other contract',
      values: { client_id, contract_id, item_id: item.item_id },
      atLeast: 2,
    },
    list('plain', {}, 200),
    list('plain, 500 a page', { page_size: 501 }, 1000),
    list('plain, other contract', { contract_id }, 200),
    list('with cursor', { after_id: sample.middle_item_id }, 200),
    list('word in every item', { words: ['for'] }, 200),
    list('word in half of the items', { words: ['original'] }, 200),
    list('rare word', { words: [item.model] }, 20),
    list('article', { search: item.vendor_code, words: [item.vendor_code] }, 2),
    list('article without its dash', searched(item.vendor_code.replace('-', '').toLowerCase()), 2),
    list('beginning of an article', searched(item.vendor_code.slice(0, -1)), 2),
    list('beginning of many articles', searched(item.vendor_code.slice(0, 1)), 2, 3 * scan_max),
    list('beginning that is also a common word', { ...searched('a'), words: ['for'] }, 200, 4 * scan_max),
    list('100 articles', { articles }, 200),
    list(
      '100 articles with a word and a cursor',
      {
        articles,
        ...searched('original'),
        after_id: sample.middle_item_id,
      },
      20,
    ),
    list('unknown word', { words: ['nowhere'] }, 1),
    list('common and rare word', { words: ['original', item.model] }, 10),
    list('two common words', { words: ['original', 'for'] }, 200),
    list('common and unknown word', { words: ['original', 'nowhere'] }, 1),
    list('common word with cursor', { words: ['original'], after_id: sample.middle_item_id }, 200),
    list(
      'ten words',
      { words: ['original', 'for', 'brake', 'engine', 'clutch', 'disc', 'pump', 'astra', 'fjord', '100mm'] },
      1,
      21 * scan_max, // Ten word counts, the candidates, and each candidate checked against every word.
    ),
    list('brand', { brand_id: item.brand_id }, 20, 2 * scan_max),
    list('stock', { stock_id }, 200),
    list('brand and stock', { brand_id: item.brand_id, stock_id }, 20, 2 * scan_max),
    list('common word and brand', { words: ['original'], brand_id: item.brand_id }, 2),
    list('common word and stock with cursor', { words: ['original'], stock_id, after_id: sample.middle_item_id }, 200),
  ]
}
