import { useEffect, useSyncExternalStore } from 'react';
import { storedValue } from '../session/stored-value.ts';

export const themeModes = ['LIGHT', 'DARK', 'AUTO'] as const;
export type ThemeMode = (typeof themeModes)[number];
export type ColorScheme = 'light' | 'dark';

const DAY_BEGINS_HOUR = 6;
const DAY_ENDS_HOUR = 18;
const AUTO_CHECK_MS = 60_000;

const stored = storedValue<ThemeMode>('theme', isThemeMode);

export function colorSchemeFor(mode: ThemeMode, now: Date): ColorScheme {
  if (mode !== 'AUTO') return mode === 'LIGHT' ? 'light' : 'dark';
  const hour = now.getHours();
  return hour >= DAY_BEGINS_HOUR && hour < DAY_ENDS_HOUR ? 'light' : 'dark';
}

export function setThemeMode(mode: ThemeMode): void {
  stored.set(mode);
}

export function useThemeMode(): ThemeMode {
  return useSyncExternalStore(stored.subscribe, currentMode);
}

export function useColorScheme(): ColorScheme {
  return useSyncExternalStore(subscribeToScheme, currentScheme);
}

/** Applies the chosen color scheme to the document; our styles and Mantine's depend on this attribute. */
export function useDocumentColorScheme(): void {
  const scheme = useColorScheme();
  useEffect(() => {
    document.documentElement.dataset['mantineColorScheme'] = scheme;
  }, [scheme]);
}

function currentMode(): ThemeMode {
  return stored.get() ?? 'DARK';
}

function currentScheme(): ColorScheme {
  return colorSchemeFor(currentMode(), new Date());
}

function subscribeToScheme(listener: () => void): () => void {
  const unsubscribe = stored.subscribe(listener);
  const timer = setInterval(listener, AUTO_CHECK_MS);
  return () => {
    unsubscribe();
    clearInterval(timer);
  };
}

function isThemeMode(value: unknown): value is ThemeMode {
  return themeModes.some((mode) => mode === value);
}
