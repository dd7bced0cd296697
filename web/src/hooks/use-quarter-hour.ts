import { useSyncExternalStore } from 'react';
import { serverNow } from '../data/server-clock.ts';

const QUARTER_HOUR_MS = 900_000;
const CHECK_MS = 30_000;

/** Start of the current quarter of an hour, by the server's clock: in every time zone an hour starts with one. */
export function useQuarterHour(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(serverNow() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, CHECK_MS);
  return () => clearInterval(timer);
}
