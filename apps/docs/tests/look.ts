/**
 * What is wrong with the page that a browser shows: its width, the order of its headings, and the contrast of every text in
 * both colour schemes. It runs inside of the page, so it uses nothing from outside. axe checks the same and needs seconds
 * for a long page.
 */
export function lookAt(): string[] {
  const wrong: string[] = []
  const overflow = document.documentElement.scrollWidth - innerWidth
  if (overflow > 0) wrong.push(`${overflow} pixels wider than the screen`)

  const levels = [...document.querySelectorAll('main h1, main h2, main h3, main h4')].map(({ tagName }) =>
    Number(tagName[1]),
  )
  if (levels.filter((level) => level === 1).length !== 1) wrong.push('not one title')
  for (const [i, level] of levels.entries())
    if (level > (levels[i - 1] ?? 0) + 1)
      wrong.push(`heading ${i + 1} of level ${level} follows one of level ${levels[i - 1] ?? 0}`)

  type Colour = readonly [red: number, green: number, blue: number, alpha: number]
  const parse = (text: string): Colour => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
    return [red, green, blue, alpha]
  }
  const over = (top: Colour, below: Colour): Colour => {
    const mixed = ([0, 1, 2] as const).map((i) => top[i] * top[3] + below[i] * (1 - top[3]))
    return [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0, 1]
  }
  const luminance = (colour: Colour): number => {
    const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (a: Colour, b: Colour): number => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
    return (light + 0.05) / (dark + 0.05)
  }

  for (const scheme of ['light', 'dark']) {
    document.documentElement.classList.toggle('dark', scheme === 'dark')
    const grounds = new Map<Element, Colour>()
    const groundOf = (element: Element | null): Colour => {
      if (element === null) return scheme === 'dark' ? [0, 0, 0, 1] : [255, 255, 255, 1]
      const known = grounds.get(element)
      if (known !== undefined) return known
      const own = parse(getComputedStyle(element).backgroundColor)
      const ground = own[3] === 1 ? own : over(own, groundOf(element.parentElement))
      grounds.set(element, ground)
      return ground
    }
    const seen = new Set<string>()
    const texts = document.createTreeWalker(document.querySelector('.VPContent') ?? document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode() !== null) {
      const element = texts.currentNode.parentElement
      if (element === null || texts.currentNode.textContent?.trim() === '') continue
      const style = getComputedStyle(element)
      const key = `${style.color} ${groundOf(element).join(' ')}`
      if (seen.has(key) || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      seen.add(key)
      const ratio = contrast(over(parse(style.color), groundOf(element)), groundOf(element))
      if (ratio < 4.5) wrong.push(`${scheme}: contrast ${ratio.toFixed(2)} of ${element.outerHTML.slice(0, 120)}`)
    }
  }
  return wrong
}
