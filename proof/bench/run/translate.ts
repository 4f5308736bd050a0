/**
 * Translates arithmetic for pgbench and for wrk's Lua from one notation: integers, names, `+ - * %`, parentheses,
 * `random(from, to)`, `a // b` of two names or numbers for integer division, and `share(place)`.
 */

/** `share(place)`: which of ten neighbouring clients an order belongs to, as assigned by the loader's plan.sql. */
const shares = [30, 35, 40, 45, 51, 57, 64, 72, 84]

export function forPgbench(name: string, expression: string): string {
  const shareOf = (place: string): string =>
    `(case ${shares.map((below, n) => `when ${place} < ${below} then ${n}`).join(' ')} else ${shares.length} end)`
  const translated = expression
    .replace(/\b([a-z_]+)\b(?!\()/g, ':$1')
    .replaceAll('//', '/')
    .replace(/\bshare\((:\w+)\)/g, (_, place: string) => shareOf(place))
  return `\\set ${name} ${translated}`
}

export function forLua(name: string, expression: string): string {
  return `local ${name} = ${expression.replace(/(\w+) \/\/ (\w+)/g, 'floor($1 / $2)')}`
}

/** Functions that the translated expressions call. */
export const luaPrelude = `
local floor, random = math.floor, math.random
local shares = {${shares.join(', ')}}
local function share(place)
  local n = 0
  while n < ${shares.length} and place >= shares[n + 1] do n = n + 1 end
  return n
end
`

/** Turns a text with `{names}` in braces into a Lua expression. */
export function luaText(template: string): string {
  const parts = template.split(/(\{\w+(?::\d)?\})/).filter((part) => part !== '')
  const expressions = parts.map((part) => {
    const [, name, digits] = /^\{(\w+)(?::(\d))?\}$/.exec(part) ?? []
    if (name === undefined) return JSON.stringify(part)
    return digits === undefined ? name : `string.format("%0${digits}d", ${name})`
  })
  return expressions.join(' .. ')
}
