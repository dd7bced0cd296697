const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3600;
/** From this value on, the larger unit is precise enough. */
const LARGEST_COUNT = 90;

/** Rounded to a unit in which it has one or two digits, up to hours. */
export function toDuration(seconds: number): { unit: 'seconds' | 'minutes' | 'hours'; count: number } {
  if (seconds < LARGEST_COUNT) return { unit: 'seconds', count: Math.round(seconds) };
  if (seconds < LARGEST_COUNT * SECONDS_PER_MINUTE)
    return { unit: 'minutes', count: Math.round(seconds / SECONDS_PER_MINUTE) };
  return { unit: 'hours', count: Math.round(seconds / SECONDS_PER_HOUR) };
}
