import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatedName } from './read-input.ts'

test('a name is found that one object has twice, at any depth and however it is escaped', () => {
  for (const [json, name] of [
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"b":2,"\\u0061":3}', 'a'],
    [' { "a" : "a" , "b" : [ { "c" : 1 , "c" : 1 } ] } ', 'c'],
    ['[{"a":1},{"a":{"x":[1,[2]],"b":0},"c":"}","a":2}]', 'a'],
    ['{"a\\"":1,"a\\\\":2,"a\\"":3}', 'a"'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ] as const)
    assert.equal(repeatedName(json), name, json)
})

test('names of different objects, and texts that look like names, are not repeated', () => {
  for (const json of [
    '{}',
    '[]',
    '1',
    '"a"',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a","a"]}',
    '{"a":"\\"a\\":","b":"{\\"a\\":1,\\"a\\":1}"}',
    '{"a":"\\\\","b":"\\\\\\"","c":[{},{"a":1}],"d":1}',
    '{"a":[1,2,{"b":1}],"b":{"a":[]}}',
  ])
    // prettier-ignore
    assert.equal(repeatedName(json), undefined, JSON.stringify(JSON.parse(json)))
})

test('deeply nested and long texts are read in linear time', () => {
  const depth = 40_000
  assert.equal(repeatedName(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), undefined)
  assert.equal(repeatedName(`["${'\\\\'.repeat(100_000)}","${'\\"'.repeat(100_000)}"]`), undefined)
})
