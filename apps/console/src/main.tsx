import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/ActionIcon.css'
import '@mantine/core/styles/Button.css'
import '@mantine/core/styles/Loader.css'
import '@mantine/core/styles/Kbd.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/Menu.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/InlineInput.css'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Checkbox.css'
import './console.css'
import { createRoot } from 'react-dom/client'
import { readSettings } from './api.ts'
import { App, meQuery, queries } from './app.tsx'
import { listenToKeys } from './keyboard.ts'
import { loadPageOf } from './routes.tsx'

listenToKeys()

const root = document.querySelector('#console')
if (root === null) throw new Error('The page has no element for the console.')
const [settings] = await Promise.all([
  readSettings(),
  queries.prefetchQuery(meQuery),
  loadPageOf(location.pathname).catch(() => undefined), // Shown by the page itself.
])
createRoot(root).render(<App settings={settings} />)
