import { createTheme, Menu } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  respectReducedMotion: true,
  components: {
    Menu: Menu.extend({
      defaultProps: {
        transitionProps: { duration: 0 },
        position: 'bottom-end',
        // Outside of a landmark, and with an element that is no item, screen readers would stumble.
        withinPortal: false,
        withInitialFocusPlaceholder: false,
      },
    }),
  },
})
