/** The filters of a list, kept in the address. */
import { useSearchParams } from 'wouter'

export interface AddressFilters {
  readonly get: (name: string) => string
  readonly set: (name: string, value: string) => void
}

export function useFilters(): AddressFilters {
  const [search, setSearch] = useSearchParams()
  return {
    get: (name) => search.get(name) ?? '',
    set: (name, value) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      ),
  }
}
