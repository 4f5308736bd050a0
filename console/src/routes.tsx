/** Every page: its address, its place in the navigation, its keys, and the file that is loaded on demand. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import type { WordKey } from './words/en.ts'

export interface PageRoute {
  readonly path: string
  readonly page: LazyExoticComponent<ComponentType<Record<string, never>>>
  /** Pages without a word are not in the navigation. */
  readonly word?: WordKey
  readonly keys?: string
}

export const routes: readonly PageRoute[] = [
  { path: '/', word: 'today', keys: 'g t', page: lazy(() => import('./pages/today.tsx')) },
  { path: '/inbox', word: 'inbox', keys: 'g i', page: lazy(() => import('./pages/inbox.tsx')) },
  { path: '/orders', word: 'orders', keys: 'g o', page: lazy(() => import('./pages/orders.tsx')) },
  { path: '/orders/:order', page: lazy(() => import('./pages/order.tsx')) },
  { path: '/clients', word: 'clients', keys: 'g c', page: lazy(() => import('./pages/clients.tsx')) },
  { path: '/clients/:client', page: lazy(() => import('./pages/client.tsx')) },
  { path: '/webhooks', page: lazy(() => import('./pages/webhooks.tsx')) },
  { path: '/goods', word: 'goods', keys: 'g s', page: lazy(() => import('./pages/goods.tsx')) },
  { path: '/goods/:item', page: lazy(() => import('./pages/item.tsx')) },
  { path: '/stocks', page: lazy(() => import('./pages/stocks.tsx')) },
  { path: '/imports', word: 'imports', keys: 'g m', page: lazy(() => import('./pages/imports.tsx')) },
  { path: '/imports/:import', page: lazy(() => import('./pages/import.tsx')) },
  { path: '/activity', word: 'activity', keys: 'g l', page: lazy(() => import('./pages/activity.tsx')) },
  { path: '/settings', word: 'settings', keys: 'g e', page: lazy(() => import('./pages/settings.tsx')) },
]
