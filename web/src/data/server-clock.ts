/**
 * The server's times (expiry of a token, when the next mail is allowed) are compared with the device's clock, which may
 * be wrong by hours. The Date header of each response tells the difference.
 */

import { takeEarlyResponse } from './early-responses.ts';
import { watchNetwork } from './network.ts';

/** The header has whole seconds, and the response takes time, so smaller differences are ignored. */
const TOLERANCE_MS = 5000;

let offsetMs = 0;

/** `fetch` that also reads the server's clock, and notices whether there is a network. */
export const fetchWithClock: typeof fetch = async (input, init) => {
  const early = typeof input === 'string' ? takeEarlyResponse(input, init ?? {}) : undefined;
  const response = await watchNetwork(early ?? fetch(input, init), init?.signal);
  readServerClock(response.headers.get('date'));
  return response;
};

export function readServerClock(date: string | null): void {
  const difference = Date.now() - Date.parse(date ?? '');
  if (Number.isNaN(difference)) return; // A proxy may remove the header.
  offsetMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** Milliseconds since 1970 by the server's clock: for ranges and ages of what the server has recorded. */
export function serverNow(): number {
  return Date.now() - offsetMs;
}

/** Converts a server time to the device's clock. */
export function toLocalTime(serverMs: number): number {
  return serverMs + offsetMs;
}
