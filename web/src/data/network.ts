/**
 * Whether the server can be reached: what the last request says. `navigator.onLine` is not asked, because it knows only
 * of network interfaces: it is true behind a broken router, and false where the server is on the machine itself.
 */
import type { getSettings } from '@cellhop/contract/settings';
import { useSyncExternalStore } from 'react';

/** What anybody may request. */
const SETTINGS_URL: (typeof getSettings)['url'] = '/v1/settings';
const TIMEOUT_MS = 10_000;

let isReached = true;
const listeners = new Set<() => void>();

/** @param request rejects if it gets no response @param signal of the request: cancelled, it says nothing */
export async function watchNetwork<T>(request: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  try {
    const response = await request;
    setReached(true);
    return response;
  } catch (error) {
    // A timeout aborts the signal too: a slow server is not a missing network.
    if (signal?.aborted !== true) setReached(false);
    throw error;
  }
}

/** @returns whether the server responds now */
export async function askServer(): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await watchNetwork(fetch(SETTINGS_URL, { signal, cache: 'no-store' }), signal);
    // Read to its end: otherwise the browser keeps the connection until the timeout.
    await response.text();
    return true;
  } catch {
    return false;
  }
}

export const isOnline = (): boolean => isReached;

export function useOnline(): boolean {
  return useSyncExternalStore(subscribeToNetwork, isOnline);
}

export function subscribeToNetwork(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls it each time a request succeeds after a lost one. */
export function onReconnect(listener: () => void): () => void {
  return subscribeToNetwork(() => {
    if (isReached) listener();
  });
}

function setReached(next: boolean): void {
  if (isReached === next) return;
  isReached = next;
  for (const listener of listeners) listener();
}
