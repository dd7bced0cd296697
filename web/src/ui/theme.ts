import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { BusyButton } from './busy-button.tsx';

const mint: MantineColorsTuple = [
  '#e6fbf4',
  '#c6f5e5',
  '#9aecd0',
  '#6ee6c0',
  '#4be3b5',
  '#2cc798',
  '#16a37b',
  '#0b8762',
  '#08704f',
  '#065a40',
];

export const theme = createTheme({
  primaryColor: 'mint',
  primaryShade: { light: 8, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  colors: { mint },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  // As in the rest of the app; phones get larger letters in fields (mantine.css).
  fontSizes: { md: '15px' },
  headings: { fontFamily: 'var(--font)', fontWeight: '650' },
  defaultRadius: 'md',
  radius: { md: '10px', lg: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: {
        // Named, so that mantine.css can tell filled buttons from the others.
        variant: 'filled',
        component: BusyButton,
      },
    },
  },
});

/** Mantine takes its neutrals from the same custom properties as our own styles. */
export const cssVariables: CSSVariablesResolver = () => {
  const neutrals = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-muted)',
    '--mantine-color-placeholder': 'var(--text-muted)',
    '--mantine-color-error': 'var(--danger)',
    '--mantine-color-anchor': 'var(--accent)',
    '--mantine-color-default': 'var(--surface-raised)',
    '--mantine-color-default-hover': 'var(--surface-hover)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-default-border': 'var(--border)',
    '--mantine-primary-color-filled': 'var(--accent)',
    '--mantine-primary-color-filled-hover': 'var(--accent-hover)',
    '--mantine-color-mint-filled-hover': 'var(--accent-hover)',
    '--mantine-color-red-filled': 'var(--danger)',
    '--mantine-color-red-filled-hover': 'color-mix(in srgb, var(--danger) 88%, var(--text))',
    '--mantine-primary-color-contrast': 'var(--on-accent)',
    '--mantine-primary-color-light': 'var(--accent-soft)',
    '--mantine-primary-color-light-hover': 'var(--accent-soft)',
    '--mantine-primary-color-light-color': 'var(--accent)',
  };
  return { variables: {}, light: neutrals, dark: neutrals };
};
