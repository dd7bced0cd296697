/** Traffic and cost of a user's connections, by hour or by day. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { data, dateInputSchema, dateSchema, dollarsSchema, idSchema } from './schemas.ts';
import { USAGE_DAYS_MAX, usageSorts } from './usage.values.ts';

export type UsageSort = (typeof usageSorts)[number];

export const usageSteps = ['hour', 'day'] as const;
export type UsageStep = (typeof usageSteps)[number];

/** The longest range by hours. */
export const USAGE_HOURS_MAX = 24 * 31;

/** How many connections are listed: the first ones in the requested order. */
export const USAGE_CONNECTIONS_MAX = 50;

const HOUR_MS = 3_600_000;

/** An IANA name such as `Europe/Berlin`. An offset such as `+02:00` is refused: it has no daylight saving time. */
const timeZoneSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+/-]*$/, 'must be a time zone such as Europe/Berlin')
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin');

/** A time range and the steps of its points. */
export const rangeQuery = {
  /** Inclusive. */
  from: dateInputSchema,
  /** Exclusive. */
  to: dateInputSchema,
  step: z.enum(usageSteps).default('day'),
  /** Where days and hours begin. */
  timeZone: timeZoneSchema.default('UTC'),
};

interface Range {
  from: string;
  to: string;
  step: UsageStep;
}

/** Refuses a range that is empty or too long for its step. */
export function withRange<T extends z.ZodType<Range>>(query: T): T {
  return query
    .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { path: ['to'], message: 'must be after from' })
    .refine(({ from, to, step }) => Date.parse(to) - Date.parse(from) <= longest(step), {
      path: ['to'],
      message: `must be at most ${USAGE_HOURS_MAX} hours or ${USAGE_DAYS_MAX} days after from`,
    });
}

export const usageQuery = withRange(
  z.strictObject({
    ...rangeQuery,
    /** One connection instead of all. */
    connectionId: idSchema.optional(),
    /** The order of the connections. */
    sort: z.enum(usageSorts).default('-spent'),
  }),
);
export type UsageQuery = z.infer<typeof usageQuery>;

const amounts = {
  /** KiB, both directions together. */
  trafficUsed: z.number().nonnegative(),
  /** KiB of it that were uploaded. */
  uploaded: z.number().nonnegative(),
  /** US dollars minus refunds: negative if more was refunded than paid. */
  spent: dollarsSchema,
};

const usagePointSchema = z.object({ at: dateSchema, ...amounts });
const usageConnectionSchema = z.object({
  id: idSchema,
  ip: z.string(),
  countryCode: z.string(),
  createdAt: dateSchema,
  ...amounts,
});
const usageSchema = z.object({
  total: z.object(amounts),
  /** Each hour or day of the range, including those without traffic. */
  points: z.array(usagePointSchema),
  connections: z.array(usageConnectionSchema).max(USAGE_CONNECTIONS_MAX),
});
export type Usage = z.infer<typeof usageSchema>;
export type UsagePoint = z.infer<typeof usagePointSchema>;
export type UsageConnection = z.infer<typeof usageConnectionSchema>;

export const getUsage = endpoint({
  method: 'GET',
  url: '/v1/usage',
  access: 'user',
  summary: 'Traffic and spending per hour or day, in all and per connection',
  query: usageQuery,
  response: data(usageSchema),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function longest(step: UsageStep): number {
  // The day on which daylight saving time ends is longer than 24 hours.
  return step === 'hour' ? USAGE_HOURS_MAX * HOUR_MS : USAGE_DAYS_MAX * 24 * HOUR_MS + HOUR_MS;
}
