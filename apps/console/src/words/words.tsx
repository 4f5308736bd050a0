/** The language of the console: words, numbers, money, dates and ages. */
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Settings } from '../api.ts'
import { en, type Dictionary, type WordKey } from './en.ts'
import { errorsEn, type ErrorWords } from './errors-en.ts'
import { problemOf } from './problem.ts'

export const languages = { en: 'English', de: 'Deutsch', ru: 'Русский' } as const
export type Language = keyof typeof languages

/** Loaded with the words: when the service is away, it is too late. */
interface Texts {
  readonly words: Dictionary
  readonly errors: ErrorWords
}

const english: Texts = { words: en, errors: errorsEn }
const loaders: Record<Language, () => Promise<Texts>> = {
  en: async () => english,
  de: async () => ({ words: (await import('./de.ts')).de, errors: (await import('./errors-de.ts')).errorsDe }),
  ru: async () => ({ words: (await import('./ru.ts')).ru, errors: (await import('./errors-ru.ts')).errorsRu }),
}

export interface Words {
  readonly language: Language
  readonly setLanguage: (language: Language) => void
  readonly t: (key: WordKey, values?: Readonly<Record<string, string | number>>) => string
  readonly state: (stateId: string) => string
  readonly number: (value: number) => string
  /** An amount; with a currency where it is known. */
  readonly money: (value: number, currency?: string) => string
  /** `YYYY-MM-DD HH:MM:SS` in the service's time zone, as the service sends it. */
  readonly dateTime: (stored: string) => string
  readonly day: (stored: string) => string
  /** The date in the service's time zone, this number of days after today, as `YYYY-MM-DD`. */
  readonly dateFromToday: (days: number) => string
  /** 1 is Monday, 7 is Sunday. */
  readonly weekday: (day: number) => string
  /** A change, with its sign: 0.05 is +5 %. */
  readonly percent: (part: number) => string
  readonly age: (seconds: number) => string
  /** What an error means, and what to do next. */
  readonly problem: (error: unknown) => string
}

const Context = createContext<Words | null>(null)

export function useWords(): Words {
  const words = use(Context)
  if (words === null) throw new Error('There are no words outside of WordsProvider.')
  return words
}

const storageKey = 'parts-console-language'

function preferred(): Language {
  const stored = localStorage.getItem(storageKey) ?? ''
  const wanted = [stored, ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return (wanted.find((tag) => Object.hasOwn(languages, tag)) ?? 'en') as Language
}

export function WordsProvider({ settings, children }: { settings: Settings; children: ReactNode }) {
  const [language, setLanguage] = useState(preferred)
  const [loaded, setLoaded] = useState<{ language: Language; texts: Texts } | null>(
    language === 'en' ? { language, texts: english } : null,
  )
  useEffect(() => {
    let isCurrent = true
    void loaders[language]().then((texts) => isCurrent && setLoaded({ language, texts }))
    return () => {
      isCurrent = false
    }
  }, [language])
  const words = useMemo(
    () =>
      loaded &&
      makeWords(loaded.language, loaded.texts, settings, (chosen) => {
        localStorage.setItem(storageKey, chosen)
        setLanguage(chosen)
      }),
    [loaded, settings],
  )
  useEffect(() => {
    if (words === null) return
    document.documentElement.lang = words.language
    document.title = words.t('title')
  }, [words])
  return words === null ? null : <Context value={words}>{children}</Context>
}

export function makeWords(
  language: Language,
  { words: dictionary, errors }: Texts,
  { state_labels, time_zone }: Settings,
  setLanguage: (language: Language) => void,
): Words {
  // The region of the browser decides how dates look: 16 Nov or Nov 16.
  const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language
  const plural = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(locale)
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const dateTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const isoDates = new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }) // Sweden writes YYYY-MM-DD.
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  const percents = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  })
  const units = (['minute', 'hour', 'day'] as const).map(
    (unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }),
  )
  const t: Words['t'] = (key, values = {}) => {
    const entry = dictionary[key]
    const n = values['n']
    const text =
      typeof entry === 'string' ? entry : (entry[plural.select(typeof n === 'number' ? n : 0)] ?? entry.other ?? '')
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name]
      return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
    })
  }
  // The service's times have no zone: they are read and written as if they were in UTC.
  const instant = (stored: string): Date => new Date(`${stored.replace(' ', 'T')}${stored.length > 10 ? 'Z' : ''}`)
  const state = (stateId: string): string =>
    state_labels[stateId] ?? t((`state_${stateId}` in dictionary ? `state_${stateId}` : 'state') as WordKey)
  const number = (value: number): string => numbers.format(value)
  const day = (stored: string): string => days.format(instant(stored.slice(0, 10)))
  return {
    language,
    setLanguage,
    t,
    state,
    number,
    money: (value, currency) =>
      currency === undefined ? amounts.format(value) : `${amounts.format(value)}\u00a0${currency}`,
    dateTime: (stored) => dateTimes.format(instant(stored)),
    day,
    problem: (error) => problemOf(error, errors, { state, number, day }),
    dateFromToday: (days) => {
      const date = instant(isoDates.format(new Date()))
      date.setUTCDate(date.getUTCDate() + days)
      return date.toISOString().slice(0, 10)
    },
    weekday: (day) => weekdays.format(Date.UTC(2024, 0, day)), // The first of January 2024 was a Monday.
    percent: (part) => percents.format(part),
    age: (seconds) => {
      const [minutes, hours, days] = units
      if (seconds < 60) return t('now')
      if (seconds < 3_600) return minutes?.format(Math.floor(seconds / 60)) ?? ''
      if (seconds < 86_400) return hours?.format(Math.floor(seconds / 3_600)) ?? ''
      return days?.format(Math.floor(seconds / 86_400)) ?? ''
    },
  }
}
