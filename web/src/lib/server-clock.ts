/**
 * Moments that the server names (the end of a token, the next mail) are compared with this device's clock, which may be
 * wrong by hours. Each answer's Date header tells by how much.
 */

import { takeEarlyAnswer } from './early-answers.ts';

/** The header has whole seconds, and the answer was on its way: less than this says nothing about the clock. */
const TOLERANCE_MS = 5000;

let aheadMs = 0;

/** `fetch`, which also looks at the server's clock. */
export const fetchWithClock: typeof fetch = async (input, init) => {
  const early = typeof input === 'string' ? takeEarlyAnswer(input, init ?? {}) : undefined;
  const response = await (early ?? fetch(input, init));
  readServerClock(response.headers.get('date'));
  return response;
};

export function readServerClock(date: string | null): void {
  const difference = Date.now() - Date.parse(date ?? '');
  if (Number.isNaN(difference)) return; // A proxy in between may drop the header.
  aheadMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** When this device's clock will show the moment that the server means. */
export function toLocalTime(serverMs: number): number {
  return serverMs + aheadMs;
}
