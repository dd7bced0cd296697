import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;

/** Whole seconds until a time (epoch milliseconds), updated every second; 0 once it has passed. */
export function useSecondsLeft(untilMs: number): number {
  return useSyncExternalStore(subscribeToSeconds, () => secondsUntil(untilMs, Date.now()));
}

/** Rounded up, so that 0 means that the time has come. */
export function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((untilMs - nowMs) / TICK_MS));
}

function subscribeToSeconds(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}

const QUARTER_HOUR_MS = 900_000;
const CHECK_MS = 30_000;

/** Start of the current quarter of an hour: in every time zone an hour starts with one. */
export function useQuarterHour(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, CHECK_MS);
  return () => clearInterval(timer);
}
