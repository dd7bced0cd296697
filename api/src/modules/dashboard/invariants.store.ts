import { walkedInvariant, type Invariant, type InvariantCheck, type Walk } from '../../db/invariant.ts';

const DAY_MS = 86_400_000;

/** An earlier check has verified the hours before this one, and all periods that contain them. */
function firstHour({ isFull, verified }: InvariantCheck): string {
  return new Date(isFull ? 0 : verified.until.getTime() - 2 * DAY_MS).toISOString();
}

const periods: Walk = {
  next: 'select start as key from dashboard_days where start > $1::timestamptz order by start limit $2',
  rows: 'start > $1::timestamptz and start <= $2::timestamptz',
  rowsMax: 5000,
  from: firstHour,
};

const hours: Walk = {
  next: 'select hour as key from dashboard_sums where hour > $1::timestamptz order by hour limit $2',
  rows: 'hour > $1::timestamptz and hour <= $2::timestamptz',
  rowsMax: 5000,
  from: firstHour,
};

export const dashboardInvariants: Invariant[] = [
  walkedInvariant(
    'each sum of 24 hours on the dashboard is the sum of its hours',
    (rows) =>
      `select days.figure || ' of the day from ' || start || ' is ' || days.amount || ', its hours are ' || hours.amount as broken
         from dashboard_days as days
        cross join lateral (
          select coalesce(sum(amount), 0) as amount, coalesce(sum(count), 0) as count
            from dashboard_sums as sums
           where sums.figure = days.figure and sums.currency = days.currency
             and hour >= start and hour < start + interval '24 hours') as hours
        where ${rows} and (days.amount, days.count) is distinct from (hours.amount::bigint, hours.count::bigint)`,
    periods,
  ),
  walkedInvariant(
    'each hour on the dashboard is part of a sum of 24 hours',
    (rows) =>
      `select figure || ' of the hour ' || hour || ' is in no day' as broken
         from dashboard_sums as sums
        where ${rows}
          and not exists (
            select from dashboard_days as days
             where days.start = hour and days.figure = sums.figure and days.currency = sums.currency)`,
    hours,
  ),
];
