import type { Limits } from '../limits.ts';

/** A shorter interval is too short to measure a rate. */
const OBSERVATION_MS_MIN = 10;
/** A falling rate decays with this half-life, because traffic comes in bursts. */
const HALF_LIFE_MS = 500;
/** Grants do not grow further for a control plane that is slower than this. */
const ROUND_TRIP_MS_MAX = 500;
/** Nor do they become smaller for one that is faster: half of one would be used up before the window makes a report due. */
const ROUND_TRIP_MS_OF_GRANTS_MIN = 5;
/** Assumed until the first measurement. */
const ROUND_TRIP_MS_FIRST = 20;
/** The decay of the slowest recent round trip per measurement. */
const ROUND_TRIP_DECAY = 0.9;

/** Estimates the rate of a connection from the totals of its reports. */
export class RateEstimator {
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
    const measuredBytesPerSecond = ((usedBytes - this.#usedBytes) * 1000) / Math.max(OBSERVATION_MS_MIN, elapsedMs);
    // Reports of a fast connection are closer together: then the measurement continues.
    if (elapsedMs < OBSERVATION_MS_MIN) {
      this.#bytesPerSecond = Math.max(measuredBytesPerSecond, this.#bytesPerSecond);
      return this.#bytesPerSecond;
    }
    this.#bytesPerSecond = Math.max(measuredBytesPerSecond, this.#bytesPerSecond * 0.5 ** (elapsedMs / HALF_LIFE_MS));
    this.#usedBytes = usedBytes;
    this.#at = at;
    return this.#bytesPerSecond;
  }
}

/** The slowest recent round trip to the control plane. */
export class RoundTrip {
  #ms = ROUND_TRIP_MS_FIRST;

  get ms(): number {
    return this.#ms;
  }

  observe(ms: number): void {
    this.#ms = Math.min(ROUND_TRIP_MS_MAX, Math.max(ms, this.#ms * ROUND_TRIP_DECAY));
  }
}

/**
 * The bytes that a connection needs ahead of its use. The next report is due when half of a grant is used; it may have to
 * wait for the response to the previous one and for the spacing between two, and then takes a round trip itself. Half a
 * grant lasts one round trip longer than that. These are milliseconds of the current rate; a slow connection gets the minimum.
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
  const aheadMs = 2 * (updateSpacingMs + 3 * Math.max(ROUND_TRIP_MS_OF_GRANTS_MIN, roundTripMs));
  return Math.min(wantedBytesMax, Math.max(wantedBytesMin, Math.ceil((bytesPerSecond * aheadMs) / 1000)));
}

/**
 * The window beyond the last acknowledged total that a connection of this rate needs in order not to stall: until the
 * response to the report after the current one, which is two round trips and the spacing between them, plus half of that.
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
