/** Every page: its address, its place in the navigation, its keys, and the file that is loaded on demand. */
import { onDemand, type OnDemand } from './parts/on-demand.tsx'
import type { WordKey } from './words/en.ts'

export const newOrderPath = '/orders/new'

export interface PageRoute {
  readonly path: string
  readonly page: OnDemand
  /** Pages without a word are not in the navigation. */
  readonly word?: WordKey
  readonly keys?: string
}

export const routes: readonly PageRoute[] = [
  { path: '/', word: 'today', keys: 'g t', page: onDemand(() => import('./pages/today.tsx')) },
  { path: '/inbox', word: 'inbox', keys: 'g i', page: onDemand(() => import('./pages/inbox.tsx')) },
  { path: '/orders', word: 'orders', keys: 'g o', page: onDemand(() => import('./pages/orders.tsx')) },
  { path: newOrderPath, page: onDemand(() => import('./pages/order-new.tsx')) },
  { path: '/orders/:order', page: onDemand(() => import('./pages/order.tsx')) },
  { path: '/clients', word: 'clients', keys: 'g c', page: onDemand(() => import('./pages/clients.tsx')) },
  { path: '/clients/:client', page: onDemand(() => import('./pages/client.tsx')) },
  { path: '/webhooks', page: onDemand(() => import('./pages/webhooks.tsx')) },
  { path: '/goods', word: 'goods', keys: 'g s', page: onDemand(() => import('./pages/goods.tsx')) },
  { path: '/goods/:item', page: onDemand(() => import('./pages/item.tsx')) },
  { path: '/stocks', page: onDemand(() => import('./pages/stocks.tsx')) },
  { path: '/imports', word: 'imports', keys: 'g m', page: onDemand(() => import('./pages/imports.tsx')) },
  { path: '/imports/:import', page: onDemand(() => import('./pages/import.tsx')) },
  { path: '/activity', word: 'activity', keys: 'g l', page: onDemand(() => import('./pages/activity.tsx')) },
  { path: '/print', page: onDemand(() => import('./pages/print.tsx')) },
  { path: '/settings', word: 'settings', keys: 'g e', page: onDemand(() => import('./pages/settings.tsx')) },
]

/** Loads the page of an address before it is shown. */
export async function loadPageOf(pathname: string): Promise<void> {
  const address = pathname.replace(/^\/console/, '') || '/'
  const isAt = (path: string): boolean => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(address)
  await routes.find(({ path }) => isAt(path))?.page.load()
}
