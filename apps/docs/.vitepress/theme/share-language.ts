/** One choice of a language for the tabs of all pages, kept in the browser. */
import { useRoute } from 'vitepress'
import { nextTick, onMounted, onUnmounted, watch } from 'vue'

const stored = 'parts-docs-language'

export function shareLanguage(): void {
  const route = useRoute()
  const note = ({ target, isTrusted }: Event): void => {
    if (!isTrusted || !(target instanceof HTMLInputElement) || target.closest('.vp-code-group') === null) return
    const { top } = target.getBoundingClientRect()
    const language = titleOf(target)
    localStorage.setItem(stored, language)
    choose(language)
    scrollBy(0, target.getBoundingClientRect().top - top) // Tabs above may be longer now.
  }
  const restore = (): void => choose(localStorage.getItem(stored) ?? '')
  onMounted(() => {
    restore()
    addEventListener('click', note)
  })
  onUnmounted(() => removeEventListener('click', note))
  watch(
    () => route.path,
    () => nextTick(restore),
  )
}

/** As if the reader had chosen it in every group that has it. */
function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.vp-code-group .tabs input'))
    if (!input.checked && titleOf(input) === language) input.click()
}

const titleOf = ({ nextElementSibling }: HTMLInputElement): string => nextElementSibling?.textContent?.trim() ?? ''
