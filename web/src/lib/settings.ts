import type { getSettings, Settings } from '@cellhop/contract/settings';
import { useSyncExternalStore } from 'react';
import { takeEarlyAnswer } from './early-answers.ts';

// Only types come from the contract, and `fetch` is called directly: the landing page loads neither zod nor the client.
const SETTINGS_URL: (typeof getSettings)['url'] = '/v1/settings';
const TIMEOUT_MS = 10_000;
/** A page waits this long for the brand's name; afterwards it appears without, and the name follows. */
const PATIENCE_MS = 1000;

let settings: Settings = { brandName: 'Cellhop', isDevelopment: false, publicUrl: '', contactEmail: null };
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Never fails: an installation that does not answer is shown under the default name. */
export async function loadSettings(): Promise<void> {
  loading ??= fetchSettings().catch(() => {
    loading = undefined;
  });
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** As far as they are known. */
export function currentSettings(): Settings {
  return settings;
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => settings);
}

async function fetchSettings(): Promise<void> {
  const init = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await (takeEarlyAnswer(SETTINGS_URL, init) ?? fetch(SETTINGS_URL, init));
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const answer = (await response.json()) as { data: Settings };
  settings = answer.data;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
