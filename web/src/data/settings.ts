import type { FixedUrl } from '@cellhop/contract/endpoints';
import type { Settings } from '@cellhop/contract/settings';
import { useSyncExternalStore } from 'react';
import { takeEarlyResponse } from './early-responses.ts';

// Imports only types from the contract, and calls `fetch` directly, so that the start of the app loads neither zod nor the
// client.
const SETTINGS_URL: FixedUrl = '/v1/settings';
const TIMEOUT_MS = 10_000;
/** How long a page waits for the settings; after that it is shown with the default brand name. */
const MAX_WAIT_MS = 1000;

let settings: Settings = {
  brandName: 'Cellhop',
  isDevelopment: false,
  publicUrl: '',
  contactEmail: null,
  abuseEmail: null,
  seller: null,
  logo: null,
  refundMinutes: 30,
  idleMinutes: 30,
  currencies: [],
  offer: null,
};
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Never rejects: if the request fails, the default settings are used. */
export async function loadSettings(): Promise<void> {
  loading ??= fetchSettings().catch(() => {
    loading = undefined;
  });
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}

/** The defaults until they are loaded. */
export function currentSettings(): Settings {
  return settings;
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => settings);
}

async function fetchSettings(): Promise<void> {
  const init = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await (takeEarlyResponse(SETTINGS_URL, init) ?? fetch(SETTINGS_URL, init));
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  ({ data: settings } = (await response.json()) as { data: Settings });
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
