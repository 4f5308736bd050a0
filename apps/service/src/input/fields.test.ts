import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choice, code, day, id, integer, listed, readText, text, timeFrom, timeTo } from './fields.ts'

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
  for (const bad of [
    'old',
    'new,old',
    'new,',
    ',',
    ' ',
    'new;shipped',
    'new shipped',
    '["new"]',
    'ne\u0000w',
    '\tnew',
    'new,\nshipped',
  ])
    assert.equal(field.read(bad), undefined, bad)
})

test('a choice ignores case and gives the word as it is listed', () => {
  const field = choice(states, { description: 'A state.', example: 'new' })
  assert.equal(field.read('Shipped'), 'shipped')
  for (const bad of ['old', 'new,shipped', ' new', '']) assert.equal(field.read(bad), undefined, bad)
})

test('a day may be followed by its midnight as the service writes it, and by no other time', () => {
  const field = day({ description: 'A day.', example: '2026-11-01' })
  for (const good of ['2026-11-01', '2026-11-01 00:00:00']) assert.equal(field.read(good), '2026-11-01', good)
  for (const bad of ['2026-11-01 00:00:01', '2026-11-01 23:59:59', '2026-02-30 00:00:00'])
    assert.equal(field.read(bad), undefined, bad)
})

test('a period begins with its first day or second, and ends after its last', () => {
  const options = { description: 'A time.', example: '2026-11-01' }
  const [from, to] = [timeFrom(options), timeTo(options)]
  for (const good of ['2026-11-01', '2026-11-01 00:00:00', '0001-01-01', '9999-12-31 23:59:59'])
    assert.equal(from.read(good), good)
  for (const [last, after] of [
    ['2026-11-01', '2026-11-02'],
    ['2026-12-31', '2027-01-01'],
    ['2028-02-28', '2028-02-29'],
    ['2026-11-01 00:00:00', '2026-11-01 00:00:01'],
    ['2026-12-31 23:59:59', '2027-01-01 00:00:00'],
    ['9999-12-31', 'infinity'],
    ['9999-12-31 23:59:59', 'infinity'],
    ['9999-12-31 23:59:58', '9999-12-31 23:59:59'],
  ])
    assert.equal(to.read(last ?? ''), after)
  for (const field of [from, to])
    for (const bad of ['2026-02-30', '0000-01-01', '2026-11-01 24:00:00', '2026-11-01T10:00:00', '2026-11-01 10:00'])
      assert.equal(field.read(bad), undefined, bad)
})

test('spaces around a value do not count, of whatever width; control characters stay and are refused', () => {
  const number = integer({ min: 1, max: 10, description: 'A number.', example: 1 })
  for (const raw of ['3', ' 3', '3 ', '\u{A0}\u{2003}3\u{3000}']) assert.equal(readText(number, raw), 3, raw)
  for (const raw of ['3\n', '\t3', '\r\n3', '3\u{2028}', '3 3']) assert.equal(readText(number, raw), undefined, raw)
})

test('in a path an id is any integer; one that cannot be an id is kept, or becomes the nearest that cannot', () => {
  const field = id('A thing.', 1)
  for (const [text, value] of [
    ['7', 7],
    ['007', 7],
    ['0', 0],
    ['-5', -5],
    ['9007199254740991', 2 ** 53 - 1],
    ['9007199254740992', 2 ** 53],
    ['99999999999999999999', 2 ** 53],
    ['-99999999999999999999', -(2 ** 53)],
  ] as const)
    assert.equal(readText(field, text, 'path'), value, text)
  for (const bad of ['', '-', '1e3', '0x10', '+1', '1.0', '--1', '٣'])
    assert.equal(readText(field, bad, 'path'), undefined)
  for (const bad of ['0', '-5', '9007199254740992']) assert.equal(readText(field, bad), undefined)
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
