/** A dialog with fields. If the service asks for a confirmation, its sentence is shown and the next press confirms. */
import { Checkbox, TextInput } from '@mantine/core'
import { useId, useState, type ReactNode } from 'react'
import { codeOf } from '../api.ts'
import { useWords } from '../words/words.tsx'
import { ActionDialog } from './dialog.tsx'

export interface Field {
  readonly name: string
  readonly label: string
  /** `checks`: any of the options; the value has their names, separated by commas. */
  readonly type?: 'text' | 'number' | 'email' | 'date' | 'select' | 'checks'
  readonly value?: string
  readonly optional?: boolean
  readonly step?: string
  readonly options?: readonly (readonly [value: string, label: string])[]
}

export type Values = Readonly<Record<string, string>>

export function FieldsDialog({
  title,
  effect,
  submit,
  danger = false,
  fields,
  onSubmit,
  onClose,
}: {
  title: string
  effect?: (values: Values) => ReactNode
  submit: string
  danger?: boolean
  fields: readonly Field[]
  /** `confirmed` says that a change is meant for which the service has asked. */
  onSubmit: (values: Values, confirmation: { confirmed?: true }) => Promise<unknown>
  onClose: () => void
}) {
  const { t } = useWords()
  const [changed, setChanged] = useState<Values>({})
  const [isAsked, setAsked] = useState(false)
  const values: Values = Object.fromEntries(
    fields.map(({ name, value, type, options }) => [
      name,
      changed[name] ?? value ?? (type === 'select' ? (options?.[0]?.[0] ?? '') : ''),
    ]),
  )
  const isReady = fields.every(({ name, optional }) => optional === true || values[name]?.trim() !== '')
  const send = async (): Promise<void> => {
    try {
      await onSubmit(values, isAsked ? { confirmed: true } : {})
    } catch (error) {
      if (codeOf(error) === 'confirmation_required') setAsked(true)
      throw error
    }
  }
  return (
    <ActionDialog
      title={title}
      effect={effect?.(values)}
      submit={isAsked ? t('confirm') : submit}
      danger={danger}
      ready={isReady}
      onSubmit={send}
      onClose={onClose}
    >
      {fields.length === 0
        ? undefined
        : fields.map((field, index) => (
            <FieldInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              isFirst={index === 0}
              onChange={(value) => {
                setAsked(false)
                setChanged((before) => ({ ...before, [field.name]: value }))
              }}
            />
          ))}
    </ActionDialog>
  )
}

function FieldInput({
  field: { label, type = 'text', optional = false, step, options = [] },
  value,
  isFirst,
  onChange,
}: {
  field: Field
  value: string
  isFirst: boolean
  onChange: (value: string) => void
}) {
  const { t } = useWords()
  const id = useId()
  if (type === 'checks') {
    const chosen = value.split(',').filter((one) => one !== '')
    return (
      <fieldset className="checks">
        <legend>{label}</legend>
        {options.map(([one, text]) => (
          <Checkbox
            key={one}
            label={text}
            checked={chosen.includes(one)}
            onChange={({ currentTarget }) =>
              onChange((currentTarget.checked ? [...chosen, one] : chosen.filter((other) => other !== one)).join(','))
            }
          />
        ))}
      </fieldset>
    )
  }
  if (type === 'select')
    return (
      <div className="select">
        <label htmlFor={id}>{label}</label>
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </div>
    )
  return (
    <TextInput
      label={optional ? `${label} (${t('optional')})` : label}
      type={type}
      step={step}
      min={type === 'number' ? 0 : undefined}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data-autofocus={isFirst || undefined}
    />
  )
}
