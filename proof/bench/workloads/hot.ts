import { hotGoods } from '../run/operations.ts'
import { hotLine } from '../run/report.ts'
import { compareSides, comparisonOptions } from '../run/run.ts'
import { workload } from '../workload.ts'

export default workload({
  options: comparisonOptions,
  notes: [
    'Orders of one and of 20 lines, once for spread items and once for the same items. The difference is the cost of waiting for row locks.',
    'Needs wrk and pgbench. Takes about ten minutes.',
  ],
  examples: ['hot', 'hot --rounds 3'],
  run: async (values, output) => {
    const names = hotGoods.map(({ name }) => name)
    const { measured, ...outcome } = await compareSides(names, values, output)
    for (const result of measured) output.show(hotLine(result, measured))
    return outcome
  },
})
