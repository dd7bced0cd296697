import type { TFunction } from 'i18next';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in its largest unit, rounded down: "2 h". Of less than a minute: "1 min". */
export function roundDurationText(totalSeconds: number, t: TFunction<'staff'>): string {
  const unit = totalSeconds >= DAY ? 'days' : totalSeconds >= HOUR ? 'hours' : 'minutes';
  const seconds = { days: DAY, hours: HOUR, minutes: MINUTE }[unit];
  return t(`roundDuration.${unit}`, { number: Math.max(1, Math.floor(totalSeconds / seconds)) });
}

/** A duration in its two largest units, or in seconds below a minute: "2 h 5 min". */
export function durationText(totalSeconds: number, t: TFunction<'staff'>): string {
  // Rounded first, so that 59.6 minutes become an hour.
  const step = totalSeconds >= DAY ? HOUR : totalSeconds >= MINUTE ? MINUTE : 1;
  const seconds = Math.round(totalSeconds / step) * step;
  const unit = seconds >= DAY ? 'days' : seconds >= HOUR ? 'hours' : seconds >= MINUTE ? 'minutes' : 'seconds';
  return t(`duration.${unit}`, {
    days: Math.floor(seconds / DAY),
    hours: Math.floor((seconds % DAY) / HOUR),
    minutes: Math.floor((seconds % HOUR) / MINUTE),
    seconds,
  });
}
