import '@mantine/core/styles.layer.css';
import './mantine.css';
import './dialog-space.css';
import './touch.css';
import {
  MantineProvider,
  colorsTuple,
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineThemeComponents,
  type VariantColorsResolver,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { BusyButton } from './plain-button.tsx';
import { useColorScheme } from './color-scheme.ts';

/** For the parts of the app that use Mantine; pages that the API renders do not. */
export function MantineRoot({ children }: { children: ReactNode }) {
  const scheme = useColorScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} cssVariablesResolver={cssVariables}>
      {children}
    </MantineProvider>
  );
}

/*
 * Colors, radii and fonts are the custom properties of app/global.css, because the pages of visitor.css use them without
 * Mantine. They change with the color scheme, so a shade here has the same name in both.
 */

/** By their use in Mantine's styles of the dark scheme. */
const dark: MantineColorsTuple = [
  'var(--text)',
  'var(--text-muted)', // Labels of choices, close buttons.
  'var(--text-muted)', // Dimmed text.
  'var(--text-muted)', // Placeholders, disabled text.
  'var(--border)',
  'var(--surface-hover)',
  'var(--surface-raised)', // Fields, popups.
  'var(--surface-hover)', // Options under the pointer.
  'var(--surface-raised)', // Segmented controls.
  'var(--bg)',
];

/** The same for the light scheme. */
const gray: MantineColorsTuple = [
  'var(--surface-hover)', // Options under the pointer.
  'var(--surface-raised)', // Segmented controls.
  'var(--border)',
  'var(--border)',
  'var(--border)',
  'var(--text-muted)', // Placeholders, disabled text.
  'var(--text-muted)', // Dimmed text.
  'var(--text-muted)', // Labels of choices, close buttons.
  'var(--text)',
  'var(--text)',
];

/** The accent is bright in the dark scheme and dark in the light one; text on it has the opposite color. */
const variantColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === 'filled' ? { ...colors, color: 'var(--on-accent)' } : colors;
};

const dropdown = { '--popover-border-color': 'var(--border-strong)' };

const choice = {
  styles: {
    dropdown,
    // Text color of the option that is selected by keyboard.
    option: { '--mantine-color-white': 'var(--on-accent)' },
  },
};

const dialog = {
  styles: {
    content: { border: '1px solid var(--border)' },
    title: { fontWeight: 650, fontSize: 19, letterSpacing: '-0.015em' },
  },
};

/** That of a dialog is no second banner of the page. */
const header = { defaultProps: { role: 'none' } };

/** By name: importing a component here would load its code with the first screen. */
const components: MantineThemeComponents = {
  Alert: {
    styles: { message: { fontSize: 'var(--mantine-font-size-md)' } },
    vars: () => ({ root: { '--alert-bd': '1px solid var(--alert-color)' } }),
  },
  Button: { defaultProps: { component: BusyButton } },
  Drawer: dialog,
  DrawerHeader: header,
  Input: {
    vars: (_theme: unknown, { error }: { error?: unknown }) => ({
      wrapper: {
        // Mantine sets the border of a field with an error.
        '--input-bd': error ? undefined : 'var(--border-strong)',
        '--input-bg': 'var(--surface-raised)',
      },
    }),
  },
  InputWrapper: { styles: { label: { marginBottom: 6, fontWeight: 550 }, error: { marginTop: 6 } } },
  Menu: { styles: { dropdown, item: { '--menu-item-hover': 'var(--surface-hover)' } } },
  // Only fades in: if it also moved, as by default, a click during that time could miss its button.
  Modal: { ...dialog, defaultProps: { transitionProps: { transition: 'fade', duration: 150 } } },
  ModalHeader: header,
  MultiSelect: choice,
  Pagination: { vars: () => ({ root: { '--pagination-active-color': 'var(--on-accent)' } }) },
  // A chosen value of a multi-select. 24 pixels are the minimum target size (WCAG 2.5.8).
  Pill: {
    styles: {
      root: { minHeight: 24, background: 'var(--accent-soft)', color: 'var(--accent)' },
      remove: { minWidth: 24, minHeight: 24 },
    },
  },
  // At first a list stands beside the middle of its field, where it may be wider than the screen. If it were part of the page, Chromium on phones would
  // widen the page, then the field, then the list with it, and so on; what is fixed to the screen widens nothing.
  Popover: { styles: { dropdown }, defaultProps: { shadow: 'md', floatingStrategy: 'fixed' } },
  SegmentedControl: {
    defaultProps: { withItemsBorders: false },
    styles: { root: { border: '1px solid var(--border)' } },
    vars: () => ({
      root: { '--sc-color': 'var(--accent-soft)', '--sc-label-color': 'var(--accent)', '--sc-shadow': 'none' },
    }),
  },
  Select: choice,
  Tooltip: { vars: () => ({ tooltip: { '--tooltip-bg': 'var(--text)', '--tooltip-color': 'var(--bg)' } }) },
};

/** Of alerts, as that of badges and banners. */
const yellow = colorsTuple('var(--warning)');

const theme = createTheme({
  primaryColor: 'accent',
  colors: { accent: colorsTuple('var(--accent)'), red: colorsTuple('var(--danger)'), yellow, dark, gray },
  variantColorResolver: variantColors,
  fontFamily: 'var(--font)',
  // As in the rest of the app; on phones fields have larger text (mantine.css).
  fontSizes: { md: '15px' },
  defaultRadius: 'md',
  radius: { md: 'var(--radius)', lg: 'var(--radius-large)' },
  shadows: { md: 'var(--shadow)' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components,
});

/** Variables that Mantine computes from shades, because all shades of our colors are the same. */
const cssVariables: CSSVariablesResolver = () => {
  const both = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-disabled': 'var(--surface-hover)',
    '--mantine-color-accent-filled-hover': 'var(--accent-hover)',
    '--mantine-color-accent-light': 'var(--accent-soft)',
    '--mantine-color-accent-light-hover': 'color-mix(in srgb, var(--accent) 16%, transparent)',
    '--mantine-color-accent-light-color': 'var(--accent)',
    '--mantine-color-red-filled-hover': 'color-mix(in srgb, var(--danger) 88%, var(--text))',
    '--mantine-color-red-light': 'var(--danger-soft)',
    '--mantine-color-red-light-color': 'var(--danger)',
    '--mantine-color-yellow-light': 'var(--warning-soft)',
    '--mantine-color-yellow-light-color': 'var(--warning)',
    '--mantine-color-gray-light-hover': 'var(--surface-hover)',
    '--mantine-color-gray-light-color': 'var(--text)',
    '--mantine-primary-color-contrast': 'var(--on-accent)',
  };
  return {
    variables: {},
    // Mantine uses "white" and "black" for field backgrounds and text, depending on the color scheme.
    light: { ...both, '--mantine-color-white': 'var(--surface-raised)', '--mantine-color-black': 'var(--text)' },
    dark: { ...both, '--mantine-color-white': 'var(--text)', '--mantine-color-black': 'var(--bg)' },
  };
};
