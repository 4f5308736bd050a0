/** Items, prices, stocks and currencies, of clients and of operators. */
import { scanMax } from '../../../apps/service/src/catalogue/list-items.ts'
import { operatorItemsPage, type OperatorItemFilter } from '../../../apps/service/src/catalogue/list-operator-items.ts'
import type { CaseValues, ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'

export function catalogueCases(sample: Sample): ExplainCases {
  const { contract_id, stock_id, brand_id, brand_name, vendor_code, model, middle_item_id } = sample
  const articles = sample.orderable.slice(-100).map(({ article }) => article)
  const searched = (search: string) => ({ search, words: [search] })
  const word = (...words: string[]) => ({ words })
  const list = (filter: CaseValues, atLeast: number, bound?: number): ExplainCase => ({
    values: { page_size: 101, ...filter },
    atLeast,
    ...(bound !== undefined && { bound }),
  })
  const after_id = middle_item_id
  const since = { generation: 0, terms_digest: sample.offer_digest, position: 0, item_id: 0, page_size: 500 }
  return {
    'describe-service': {},
    'list-contracts': { atLeast: 2 },
    'list-stocks': { atLeast: 2 },
    'read-item, default contract': { atLeast: 2 },
    'read-item, other contract': { values: { contract_id }, atLeast: 2 },
    'read-item, with promises': { values: { promised: 50 }, atLeast: 2 },
    'list-items, plain': list({}, 200),
    'list-items, plain, 500 a page': list({ page_size: 501 }, 1000),
    'list-items, plain, other contract': list({ contract_id }, 200),
    'list-items, with cursor': list({ after_id }, 200),
    'list-items, word in every item': list(word('for'), 200),
    'list-items, word in half of the items': list(word('original'), 200),
    'list-items, rare word': list(word(model), 20),
    'list-items, article': list(searched(vendor_code), 2),
    'list-items, article without its dash': list(searched(vendor_code.replace('-', '').toLowerCase()), 2),
    'list-items, beginning of an article': list(searched(vendor_code.slice(0, -1)), 2),
    'list-items, beginning of many articles': list(searched(vendor_code.slice(0, 1)), 2, 3 * scanMax),
    'list-items, beginning that is also a common word': list({ search: 'a', ...word('for') }, 200, 4 * scanMax),
    'list-items, 100 articles': list({ articles }, 200),
    'list-items, 100 articles with a word and a cursor': list({ articles, ...searched('original'), after_id }, 20),
    'list-items, unknown word': list(word('nowhere'), 1),
    'list-items, common and rare word': list(word('original', model), 10),
    'list-items, two common words': list(word('original', 'for'), 200),
    'list-items, common and unknown word': list(word('original', 'nowhere'), 1),
    'list-items, common word with cursor': list({ ...word('original'), after_id }, 200),
    'list-items, ten words': list(
      word('original', 'for', 'brake', 'engine', 'clutch', 'disc', 'pump', 'astra', 'fjord', '100mm'),
      1,
      21 * scanMax, // Ten word counts, the candidates, and each candidate checked against every word.
    ),
    'list-items, brand': list({ brand_id, of_brand: true }, 20, 2 * scanMax),
    'list-items, brand by its name': list({ brand: brand_name, of_brand: true }, 20, 2 * scanMax),
    'list-items, stock': list({ stock_id }, 200),
    'list-items, with promises': list({ promised: 50 }, 200),
    'list-items, brand and stock': list({ brand_id, of_brand: true, stock_id }, 20, 2 * scanMax),
    'list-items, common word and brand': list({ ...word('original'), brand_id, of_brand: true }, 2),
    'list-items, common word and stock with cursor': list({ ...word('original'), stock_id, after_id }, 200),
    'list-item-changes, of the full pass': { values: { page_size: 500, full: true, included: '' }, atLeast: 500 },
    'list-item-changes, the version of the price file': {
      values: { page_size: 0, full: false, included: '' },
      atLeast: 1,
    },
    'list-item-changes, since a position': {
      values: { ...since, full: false, included: '' },
      prepare: `insert into item_changes select 'p', 1, n, n from generate_series(1, 1000) n;
        update item_feed set position = 1000`,
      atLeast: 500,
    },
    ...operatorCases(sample),
  }
}

function operatorCases({
  stock_id,
  item_id,
  brand_id,
  brand_name,
  vendor_code,
  model,
  middle_item_id,
}: Sample): ExplainCases {
  const items = (filter: OperatorItemFilter, atLeast: number, after_id = 0): ExplainCase => ({
    values: operatorItemsPage(filter, after_id, 21),
    atLeast,
    bound: 5 * scanMax, // Counted, then examined, each with its tests.
  })
  /** A level in forty takes back-orders; half of these are short. */
  const shortages = `
    update stock_levels set back_order = true, reserved = on_hand + (item_id / 40) % 2 where item_id % 40 = 0`
  const after_id = middle_item_id
  return {
    'read-operator-item': {},
    'list-operator-items, all': items({}, 21),
    'list-operator-items, next page': items({}, 21, after_id),
    'list-operator-items, by a rare word': items({ search: model }, 1),
    'list-operator-items, by a common word': items({ search: 'original' }, 21),
    'list-operator-items, by a rare and a common word': items({ search: `original ${model}` }, 1),
    'list-operator-items, by an article': items({ search: vendor_code }, 1),
    'list-operator-items, of a brand': items({ brand_id }, 21),
    'list-operator-items, of a brand by its name': items({ brand: brand_name }, 21),
    'list-brands': { values: { brand: null, after_id: 0, page_size: 101 }, atLeast: 21 },
    'list-brands, by name': { values: { brand: brand_name, after_id: 0, page_size: 101 }, atLeast: 1 },
    'list-operator-items, of a brand, by a common word': items({ search: 'original', brand_id }, 1),
    'list-operator-items, without a price': items({ missing_price: 2 }, 1),
    'list-operator-items, short': { ...items({ short: true }, 1), prepare: shortages },
    'list-prices': { atLeast: 21 },
    'list-prices, next page': { values: { after_id } },
    'set-stock-level': { values: { counted: 900_000 }, writes: 'stock_levels catalogue_changes' },
    'count-stock, below what is reserved': {
      values: { counted: 0, lines_max: 2_000 },
      prepare: `
        update stock_levels set reserved = greatest(reserved, 1) where stock_id = ${stock_id} and item_id = ${item_id}`,
      writes: 'stock_levels catalogue_changes operator_idempotency_keys',
    },
    'put-price': { values: { price: 1.5, price_factor: 0 }, writes: 'prices catalogue_changes' },
    'put-price, with breaks': {
      values: { price: 1.5, price_factor: 0, break_quantities: [10, 50], break_prices: [1.4, 1.3] },
      writes: 'prices catalogue_changes',
    },
    'list-stock-levels, all, from the middle': { values: { after_stock: 1, after_item: middle_item_id }, atLeast: 20 },
    'list-stock-levels, one stock': { values: { stock_id }, atLeast: 20 },
    'list-stock-levels, one item': { values: { item_id } },
    'set-arrivals': { values: { arrivals: '[{"date": "2031-11-24", "quantity": 40}]' }, writes: 'stock_arrivals' },
    'read-arrivals': {},
    'set-substitutes': { values: { item: 1 }, writes: 'item_substitutes' },
    'put-stock': { values: { stock_name: 'Explain', lead_days: 0, closed_weekdays: [7] }, writes: 'stocks' },
    'set-closure': { values: { date: '2026-12-24', closed: true }, writes: 'stock_closed_days catalogue_changes' },
    'list-closures': { values: { after_date: '2026-01-01' } },
    'list-all-stocks': {},
    'put-price-list': { values: { price_list_name: 'Explain' }, writes: 'price_lists' },
    'explain-price-list': {},
    'list-price-lists': {},
    'put-currency': { values: { minor_digits: 2, rate: 1 }, writes: 'currencies' },
    'read-currency': {},
    'list-currencies': {},
    'list-catalogue-changes': { atLeast: 0 },
  }
}
