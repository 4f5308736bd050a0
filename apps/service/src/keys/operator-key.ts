/** An operator's key as operators see it. */
import Type, { type Static } from 'typebox'
import { keyTimes, keyTimesColumns, keyTimesExample } from './issued-key.ts'
import { text as textField } from '../input/fields.ts'
import { roleWord } from './operators/operator.ts'
import { int8, text } from 'pg-statements/types.ts'

export const operatorName = textField({
  description: "The operator's name. Of an operator that exists, its new name.",
  example: 'Anna Berg',
})

export const OperatorKey = Type.Object(
  {
    key_id: Type.Integer({ description: 'Identifies the key in paths and in the log.' }),
    operator_id: Type.Integer({ description: 'The operator whose key it is. The log names it with everything done.' }),
    operator_name: Type.String({ description: "The operator's present name." }),
    role: roleWord('The role of the key.'),
    ...keyTimes,
  },
  {
    $id: 'OperatorKey',
    examples: [{ key_id: 3, operator_id: 3, operator_name: 'Anna Berg', role: 'decider', ...keyTimesExample }],
  },
)
export type OperatorKey = Static<typeof OperatorKey>

export const operatorKeyColumns = {
  key_id: int8,
  operator_id: int8,
  operator_name: text,
  role: text,
  ...keyTimesColumns,
}
