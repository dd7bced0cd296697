import type { Limits } from '../limits.ts';

/** Shorter times say little about a rate. */
const OBSERVATION_MS_MIN = 10;
/** A rate that falls is believed slowly, because traffic comes in bursts: after this time half of it is forgotten. */
const HALF_LIFE_MS = 500;
/** A control plane slower than this is not made up for with larger grants. */
const ROUND_TRIP_MS_MAX = 500;
/** Taken for granted until one was seen. */
const ROUND_TRIP_MS_FIRST = 20;
/** How much of the slowest round trip of late is still remembered after the next one. */
const ROUND_TRIP_MEMORY = 0.9;

/** How fast a connection goes, from its totals at its reports. */
export class Pace {
  #usedBytes: number;
  #at: number;
  #bytesPerSecond = 0;

  constructor(usedBytes: number, at: number) {
    this.#usedBytes = usedBytes;
    this.#at = at;
  }

  get bytesPerSecond(): number {
    return this.#bytesPerSecond;
  }

  observe(usedBytes: number, at: number): number {
    const elapsedMs = at - this.#at;
    const seenBytesPerSecond = ((usedBytes - this.#usedBytes) * 1000) / Math.max(OBSERVATION_MS_MIN, elapsedMs);
    // Reports of a fast connection are closer together: then the observation goes on.
    if (elapsedMs < OBSERVATION_MS_MIN) {
      this.#bytesPerSecond = Math.max(seenBytesPerSecond, this.#bytesPerSecond);
      return this.#bytesPerSecond;
    }
    this.#bytesPerSecond = Math.max(seenBytesPerSecond, this.#bytesPerSecond * 0.5 ** (elapsedMs / HALF_LIFE_MS));
    this.#usedBytes = usedBytes;
    this.#at = at;
    return this.#bytesPerSecond;
  }
}

/** The slowest round trip to the control plane of late. */
export class RoundTrip {
  #ms = ROUND_TRIP_MS_FIRST;

  get ms(): number {
    return this.#ms;
  }

  observe(ms: number): void {
    this.#ms = Math.min(ROUND_TRIP_MS_MAX, Math.max(ms, this.#ms * ROUND_TRIP_MEMORY));
  }
}

/**
 * What a connection needs ahead of its use. The next report is due when half of a grant is used; it may have to wait for
 * the answer to the one before and for the pause between two, and then takes a round trip itself. Half a grant lasts
 * for one round trip more than that. This is milliseconds of the present rate: a slow connection ties up the minimum.
 */
export function wantedBytes(
  bytesPerSecond: number,
  roundTripMs: number,
  {
    updateSpacingMs,
    wantedBytesMin,
    wantedBytesMax,
  }: Pick<Limits, 'updateSpacingMs' | 'wantedBytesMin' | 'wantedBytesMax'>,
): number {
  const aheadMs = 2 * (updateSpacingMs + 3 * roundTripMs);
  return Math.min(wantedBytesMax, Math.max(wantedBytesMin, Math.ceil((bytesPerSecond * aheadMs) / 1000)));
}

/**
 * What may pass beyond the last acknowledged total, so that a connection of this rate does not stop: up to the answer to
 * the report after the one that is on its way, which is two round trips and the pause between two, and half of that more.
 */
export function unacknowledgedBytes(
  bytesPerSecond: number,
  roundTripMs: number,
  {
    updateSpacingMs,
    unacknowledgedBytesMin,
    unacknowledgedBytesMax,
  }: Pick<Limits, 'updateSpacingMs' | 'unacknowledgedBytesMin' | 'unacknowledgedBytesMax'>,
): number {
  const aheadMs = 1.5 * (updateSpacingMs + 2 * roundTripMs);
  const bytes = Math.ceil((bytesPerSecond * aheadMs) / 1000);
  return Math.min(unacknowledgedBytesMax, Math.max(unacknowledgedBytesMin, bytes));
}
