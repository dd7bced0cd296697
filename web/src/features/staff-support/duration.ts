const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in its two largest units, for texts such as "2 h 5 min". */
export interface Duration {
  unit: 'minutes' | 'hours' | 'days';
  /** The whole number of the unit, and of the next smaller unit. */
  values: { days: number; hours: number; minutes: number };
}

export function toDuration(totalSeconds: number): Duration {
  // Rounded first, so that 59.6 minutes become an hour.
  const step = totalSeconds >= DAY ? HOUR : MINUTE;
  const seconds = Math.round(totalSeconds / step) * step;
  const values = {
    days: Math.floor(seconds / DAY),
    hours: Math.floor((seconds % DAY) / HOUR),
    minutes: Math.floor((seconds % HOUR) / MINUTE),
  };
  return { unit: seconds >= DAY ? 'days' : seconds >= HOUR ? 'hours' : 'minutes', values };
}
