/** The actions of the demo's customers and their times: the same at every start, relative to now. */
import type { LanguageCode } from '@cellhop/contract/schemas';

export interface PlannedUser {
  at: number;
  email: string;
  languageCode: LanguageCode;
  /** Index of the promo code that they signed up with; undefined: a referral code. */
  promoCode: number | undefined;
  /** A held one waits for staff. */
  topUps: { at: number; dollars: number; currency: number; isHeld?: boolean }[];
  purchases: PlannedPurchase[];
  tickets: PlannedTicket[];
}

export interface PlannedPurchase {
  at: number;
  megabytes: number;
  durationMs: number;
  isIdle: boolean;
  /** It is still open when the demo starts. */
  isLeftOpen: boolean;
}

export interface PlannedTicket {
  at: number;
  name: string;
  description: string;
  reply: string;
  /** Undefined: not answered yet. */
  repliedAt: number | undefined;
  isClosed: boolean;
}

/** The customer whose account has the most history. */
export const DEMO_CUSTOMER = 'user@example.com';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS = 90;
const DAY_MS = 24 * HOUR_MS;
/** Everything ends before this time, so that the transfers are settled when the demo starts. */
const END_BEFORE_MS = 5 * MINUTE_MS;
const CUSTOMER_TOP_UPS = 6;
const CUSTOMER_PURCHASES = 24;

const topics = [
  [
    'The proxy is slow',
    'Since this morning pages load slowly.',
    'We see no problem with it now. Please try another city.',
  ],
  ['Payment not credited', 'I have paid an hour ago.', 'The payment is confirmed; the money is on your balance.'],
  ['How do I use UDP?', 'My program needs QUIC.', 'Please use SOCKS5; the line is in the details of the connection.'],
  ['A city is missing', 'Will there be proxies in Lyon?', 'We have noted it, and new proxies arrive each week.'],
] as const;
const names = ['anna', 'boris', 'carla', 'david', 'elena', 'felix', 'grace', 'hugo', 'irina', 'jonas', 'karin', 'lev'];

/** Ordered by their sign-up. The first one is the demo's customer, whose account has the most history. */
export function planHistory(count: number, now: number, customerEmail: string): PlannedUser[] {
  const random = createRandom();
  const end = now - END_BEFORE_MS;
  const start = end - DAYS * DAY_MS;
  return Array.from({ length: count }, (_, index) => {
    // More customers in later weeks.
    const at = start + (end - start - 2 * HOUR_MS) * Math.sqrt((index + random() / 2) / count);
    const user = planUser(index, at, end, random);
    return index === 0 ? planCustomer({ ...user, email: customerEmail }, end, random) : user;
  });
}

function planCustomer(user: PlannedUser, end: number, random: () => number): PlannedUser {
  const { at } = user;
  const step = (end - at - DAY_MS) / CUSTOMER_TOP_UPS;
  const topUps: PlannedUser['topUps'] = Array.from({ length: CUSTOMER_TOP_UPS }, (_, index) => ({
    at: at + 10 * MINUTE_MS + step * index,
    dollars: 50,
    currency: index,
  }));
  topUps.push({ at: end - HOUR_MS, dollars: 250, currency: 0, isHeld: true });
  const times = Array.from({ length: CUSTOMER_PURCHASES }, () => between(at + DAY_MS, end, random));
  times.push(end - HOUR_MS / 4);
  return {
    ...user,
    languageCode: 'en',
    promoCode: undefined,
    topUps,
    purchases: times.sort((one, other) => one - other).map((time) => planPurchase(time, end, random)),
    tickets: [planTicket(0, at + 20 * DAY_MS, end, random), planTicket(1, end - HOUR_MS / 2, end, random)],
  };
}

function planUser(index: number, at: number, end: number, random: () => number): PlannedUser {
  const topUps = [{ at: at + 10 * MINUTE_MS, dollars: 20 + Math.floor(random() * 9) * 10, currency: index }];
  // Some purchases fall into the last minutes, so that connections are open when the demo starts.
  const times = Array.from({ length: 1 + Math.floor(random() * 5) }, () => between(at + HOUR_MS, end, random));
  if (index % 12 === 0) times.push(end - 20 * MINUTE_MS * random());
  const purchases = times.sort((one, other) => one - other).map((time) => planPurchase(time, end, random));
  if (random() < 0.5) topUps.push({ at: between(at + HOUR_MS, end, random), dollars: 50, currency: index + 4 });
  return {
    at,
    email: `${names[index % names.length]}${index + 1}@example.com`,
    languageCode: index % 3 === 0 ? 'ru' : 'en',
    promoCode: index % 4 === 0 ? index : undefined,
    topUps,
    purchases,
    tickets: random() < 0.35 ? [planTicket(index, between(at + HOUR_MS, end, random), end, random)] : [],
  };
}

function planPurchase(at: number, end: number, random: () => number): PlannedPurchase {
  const wantedMs = (10 + random() * 240) * MINUTE_MS;
  const isLeftOpen = at + wantedMs > end;
  return {
    at,
    megabytes: 5 + Math.floor(random() * random() * 900),
    durationMs: isLeftOpen ? end - at : wantedMs,
    isIdle: random() < 0.2,
    isLeftOpen,
  };
}

function planTicket(index: number, at: number, end: number, random: () => number): PlannedTicket {
  const [name, description, reply] = topics[index % topics.length]!;
  const repliedAt = at + (3 + random() * random() * 600) * MINUTE_MS;
  const isReplied = repliedAt < end - HOUR_MS;
  return {
    at,
    name,
    description,
    reply,
    repliedAt: isReplied ? repliedAt : undefined,
    isClosed: isReplied && random() < 0.8,
  };
}

/** Before the end, if there is any time. */
function between(from: number, end: number, random: () => number): number {
  return from + Math.max(0, end - from) * random();
}

/** Linear congruential generator, so that the demo is the same at every start. */
function createRandom(): () => number {
  let state = 20_261_122;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
