import '@mantine/core/styles.layer.css';
import './mantine.css';
import './dialog-space.css';
import './touch.css';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { useColorScheme } from './color-scheme.ts';
import { cssVariables, theme } from './theme.ts';

/** For the parts of the app that use Mantine; the landing page does not. */
export function MantineRoot({ children }: { children: ReactNode }) {
  const scheme = useColorScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} cssVariablesResolver={cssVariables}>
      {children}
    </MantineProvider>
  );
}
