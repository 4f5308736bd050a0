/** A filter with text, kept in the address. It searches while somebody types. */
import { useEffect, useState } from 'react'
import { useDebouncedValue } from '@mantine/hooks'

const pauseMs = 250

export function SearchField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
}) {
  const [text, setText] = useState(value)
  const [settled] = useDebouncedValue(text, pauseMs)
  useEffect(() => {
    if (settled !== value) onChange(settled)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- Only what was typed is sent to the address.
  }, [settled])
  return (
    <label className="wide">
      <span>{label}</span>
      <input
        type="search"
        placeholder={hint}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  )
}
