import { command, wholeNumber, wrongUse } from '../command.ts'

export const substitutesCommand = command({
  name: 'substitutes',
  summary: 'show or set what replaces an item',
  arguments: ['ITEM_ID'],
  options: {
    'replaced-by': { value: 'ID', meaning: 'the item that replaces it for good' },
    substitute: { value: 'ID', meaning: 'an item that can be ordered in its place, best first', multiple: true },
    none: { meaning: 'nothing replaces it any more' },
  },
  notes: [
    'What is given replaces everything that was set before. Dealers see it, and refusals for lack of stock name it.',
  ],
  examples: ['substitutes 1024', 'substitutes 1024 --replaced-by 1030 --substitute 1025 --substitute 1026'],
  run: async ({ arguments: [item = ''], options, output, api }) => {
    const item_id = wholeNumber(item, 'An item id')
    const named = options['replaced-by']
    const substitutes = options.substitute.map((id) => wholeNumber(id, '--substitute'))
    const given = named !== undefined || substitutes.length > 0
    if (options.none && given) throw wrongUse({ name: 'substitutes' }, '--none excludes what would be set.')
    const set = {
      item_id,
      ...(named !== undefined && { replaced_by: wholeNumber(named, '--replaced-by') }),
      ...(substitutes.length > 0 && { substitutes }),
    }
    const shown = given || options.none ? await api().setSubstitutes(set) : await api().readCatalogueItem({ item_id })
    if (output.json) return output.data({ item_id, replaced_by: shown.replaced_by, substitutes: shown.substitutes })
    output.line(shown.replaced_by === null ? 'No item replaces it.' : `Replaced by ${shown.replaced_by}.`)
    output.line(shown.substitutes.length === 0 ? 'No substitutes.' : `Substitutes: ${shown.substitutes.join(', ')}.`)
  },
})
