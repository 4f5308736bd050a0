/** What is around every page: navigation, search, account, palette and help. */
import { Kbd, Menu, useMantineColorScheme } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api.ts'
import { activeKeys, noteUnread, paletteKeys, takeTypedAhead, useKeys, type Key } from '../keyboard.ts'
import { useIsLive } from '../live.ts'
import { useMay, useMe } from '../me.ts'
import { newOrderPath, routes } from '../routes.tsx'
import type { WordKey } from '../words/en.ts'
import { languages, useWords, type Language } from '../words/words.tsx'
import { Modal } from './modal.tsx'
import { Notices } from './notices.tsx'
import { sendWaiting } from './orders/undoable.ts'
import { Palette } from './palette.tsx'

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useWords()
  const [location, navigate] = useLocation()
  const [help, setHelp] = useState<readonly Key[] | null>(null)
  const [palette, setPalette] = useState<string>() // What was typed for it before it opened.
  const search = useRef<HTMLInputElement>(null)
  const pages = routes.filter(({ word }) => word !== undefined)
  const isLive = useIsLive()
  const ofClient = location.replace(/^\/clients\/(\d+)$|^.*$/, (_, client?: string) =>
    client === undefined ? '' : `?client=${client}`,
  )
  const mayDecide = useMay('decide')
  // On a phone the navigation is wider than the screen.
  useEffect(() => {
    document.querySelector('.top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [location])
  useLayoutEffect(() => setPalette(takeTypedAhead()), [])
  useLayoutEffect(noteUnread, [location])
  useKeys([
    ...pages.map(({ path, word, keys = '' }) => ({
      keys,
      label: t('key_go', { page: t(word as WordKey) }),
      run: () => navigate(path),
      always: true,
    })),
    ...(mayDecide ? [{ keys: 'c', label: t('order_new'), run: () => navigate(`${newOrderPath}${ofClient}`) }] : []),
    { keys: '/', label: t('key_search'), run: () => search.current?.focus(), always: true },
    { keys: paletteKeys, label: t('key_palette'), run: () => setPalette(''), always: true },
    { keys: '?', label: t('key_help'), run: () => setHelp(activeKeys()), always: true },
  ])
  return (
    <>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <header className="top">
        <Link href="/" className="brand">
          {t('title')}
        </Link>
        <nav aria-label={t('navigation')}>
          {pages.map(({ path, word }) => (
            <Link
              key={path}
              href={path}
              aria-current={(path === '/' ? location === '/' : location.startsWith(path)) ? 'page' : undefined}
            >
              {t(word as WordKey)}
            </Link>
          ))}
        </nav>
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault()
            const text = search.current?.value.trim() ?? ''
            navigate(text === '' ? '/orders' : `/orders?search=${encodeURIComponent(text)}`)
            search.current?.blur()
          }}
        >
          <input
            ref={search}
            type="search"
            className="search"
            aria-label={t('search')}
            placeholder={`${t('search')}  /`}
            title={t('search_hint')}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
        </form>
        <Account />
      </header>
      {!isLive && (
        <div className="banner" role="status">
          {t('service_away')}
        </div>
      )}
      <Notices />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {help !== null && (
        <Modal onClose={() => setHelp(null)} title={t('help')}>
          <dl className="keys">
            {help.map(({ keys, label }) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <Kbd key={key}>{key.replace('mod+', 'Ctrl ')}</Kbd>
                  ))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </Modal>
      )}
      {palette !== undefined && <Palette typed={palette} onClose={() => setPalette(undefined)} />}
    </>
  )
}

function Account() {
  const { t, language, setLanguage } = useWords()
  const { operator_name, role } = useMe()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leave = async (everywhere: boolean): Promise<void> => {
    await sendWaiting()
    await api.signOut({ everywhere })
    location.reload()
  }
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className="account">
          <span>{operator_name}</span>
          <span className="dim">{t(`role_${role}` as WordKey)}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('language')}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((one) => (
          <Menu.Item key={one} lang={one} aria-current={one === language} onClick={() => setLanguage(one)}>
            {languages[one]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('theme')}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((one) => (
          <Menu.Item key={one} aria-current={one === colorScheme} onClick={() => setColorScheme(one)}>
            {t(`theme_${one}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void leave(false)}>{t('sign_out')}</Menu.Item>
        <Menu.Item onClick={() => void leave(true)}>{t('sign_out_everywhere')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
