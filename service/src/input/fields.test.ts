import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, code, day, listed, text } from './fields.ts'

const states = ['new', 'shipped', 'canceled'] as const

test('a list of words takes one or several, ignoring case, spaces around commas, order and repetition', () => {
  const field = listed(states, { description: 'States.', example: ['new'] })
  assert.deepEqual(field.read('new'), ['new'])
  assert.deepEqual(field.read('Shipped,NEW'), ['new', 'shipped'])
  assert.deepEqual(field.read(' canceled , new,canceled'), ['new', 'canceled'])
  assert.equal(field.rule, 'one or more of new, shipped, canceled, separated by commas')
})

test('a list of words refuses unknown and empty words', () => {
  const field = listed(states, { description: 'States.', example: ['new'] })
  for (const bad of ['old', 'new,old', 'new,', ',', ' ', 'new;shipped', 'new shipped', '["new"]', 'ne\u0000w'])
    assert.equal(field.read(bad), undefined, bad)
})

test('a choice ignores case and gives the word as it is listed', () => {
  const field = choice(states, { description: 'A state.', example: 'new' })
  assert.equal(field.read('Shipped'), 'shipped')
  for (const bad of ['old', 'new,shipped', ' new', '']) assert.equal(field.read(bad), undefined, bad)
})

test('a day may be followed by a time as the service writes it', () => {
  const field = day({ description: 'A day.', example: '2026-11-01' })
  for (const good of ['2026-11-01', '2026-11-01 00:00:00', '2026-11-01 23:59:59'])
    assert.equal(field.read(good), '2026-11-01', good)
})

test('a code ignores the case of ASCII letters only', () => {
  const field = code({ description: 'A country.', example: 'DE' })
  assert.equal(field.read(' de-be '), 'DE-BE')
  assert.equal(field.read('ß'), 'ß')
  assert.equal(field.read('lı'), 'Lı')
})

test('text is refused that reorders the text around it, that nobody can see, or that is no text', () => {
  const field = text({ description: 'A name.', example: 'A' })
  for (const bad of [
    'invoice\u{202E}fdp.exe',
    'a\u{202A}b',
    'a\u{2066}b\u{2069}',
    '\u{200B}',
    ' \u{200D}\u{2060} ',
    '\u{FEFF}',
    '\u{3164}',
    '\u{AD}',
    '\u{FE0F}',
    'a\u{2028}b',
    'a\u{2029}b',
    'a\u{85}b',
    '\u{D83D}',
    'a\u{DE97}b',
  ])
    // prettier-ignore
    assert.equal(field.read(bad), undefined, JSON.stringify(bad))
  for (const good of [
    'می\u{200C}خواهم',
    '👩\u{200D}🔧',
    'שלום\u{200F}!',
    '❤\u{FE0F}',
    '🚗',
    'e\u{301}'.normalize('NFC'),
  ])
    assert.equal(field.read(good), good, JSON.stringify(good))
})
