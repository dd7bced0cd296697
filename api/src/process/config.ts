import {
  bytesPerSecondSchema,
  type ConnectionLimits,
  portRuleSchema,
  tunnelsSchema,
} from '@cellhop/contract/connection-limits';
import { promoCodeFields } from '@cellhop/contract/staff/promo-codes.forms';
import { isDollarAmount, megabitsToBytes, toMicros } from '@cellhop/contract/units';
import { z } from 'zod';
import type { SecretKeys } from '../secrets/keys.ts';
import {
  paymentEnvironment,
  readPaymentSettings,
  requireCurrency,
  type PaymentSettings,
} from '../payments/settings.ts';
import { portRangeSchema, type PortRange } from '@cellhop/contract/network';

const wholeSeconds = z.coerce.number().int().min(1).max(31_536_000);
const port = z.coerce.number().int().min(0).max(65_535);
/** An empty variable counts as unset. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const SECRET_KEY_LENGTH_MIN = 32;
/** A limit, because an invalid token costs a hash per key. */
const SECRET_KEYS_MAX = 5;
/** Newest first, separated by commas. A comma within a key is escaped as `\,`. */
const secretKeysSchema = z
  .string({ error: 'SECRET_KEY is not set' })
  .transform((text) => text.split(/(?<!\\),/).map((key) => key.replaceAll('\\,', ',')))
  .transform((keys) => (keys.length > 1 ? keys.map((key) => key.trim()) : keys))
  .refine(
    (keys) => keys.every((key) => key.length >= SECRET_KEY_LENGTH_MIN),
    `each key of SECRET_KEY needs at least ${SECRET_KEY_LENGTH_MIN} characters; commas separate keys, \\, is a comma within one`,
  )
  .refine((keys) => keys.length <= SECRET_KEYS_MAX, `SECRET_KEY has more than ${SECRET_KEYS_MAX} keys`)
  .refine((keys) => new Set(keys).size === keys.length, 'SECRET_KEY contains a key twice')
  .transform((keys) => keys as unknown as SecretKeys);

/** Created with the demo. */
export const DEMO_PROMO_CODE = 'WELCOME';

const environmentSchema = z.object({
  NODE_ENV: optional(z.enum(['development', 'production', 'test'])),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: optional(z.url()),
  EXIT_ECHO_URL: optional(z.url({ protocol: /^https?$/ })),
  EXIT_ADDRESSES_DAYS: z.coerce.number().int().min(1).max(3650).default(365),
  DATABASE_URL: z.string({ error: 'DATABASE_URL is not set' }).min(1),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(500).default(20),
  DATABASE_TIMEOUT_SECONDS: optional(z.coerce.number().int().min(1).max(600)),
  DATABASE_POOL_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(600).default(3),
  SECRET_KEY: secretKeysSchema,
  CONTACT_EMAIL: optional(z.email()),
  SECURITY_CONTACT: optional(z.union([z.email(), z.url({ protocol: /^https$/ })])),
  LEGAL_TEXTS_FOLDER: optional(z.string().min(1)),
  /** Unset in development means the demo's. */
  PUBLIC_PROMO_CODE: optional(promoCodeFields.shape.code),
  BRAND_NAME: z.string().min(1).max(60).default('Cellhop'),
  SMTP_URL: optional(z.url()),
  MAIL_FROM: optional(z.string().min(3)),
  MAIL_SINK_PORT: port.default(2525),
  GATEWAY_HOST: z.string().min(1).default('127.0.0.1'),
  GATEWAY_PORT: port.default(1080),
  GATEWAY_DNS_PORTS: portRangeSchema.default({ first: 20_000, last: 20_999 }),
  GATEWAY_TOKEN: z.string({ error: 'GATEWAY_TOKEN is not set' }).min(16),
  CONNECTION_PORTS: portRuleSchema.default('deny 25'),
  CONNECTION_TUNNELS: optional(z.coerce.number().pipe(tunnelsSchema)),
  CONNECTION_MEGABITS_PER_SECOND: optional(z.coerce.number().transform(megabitsToBytes).pipe(bytesPerSecondSchema)),
  REFUND_WINDOW_SECONDS: wholeSeconds.default(1800),
  IDLE_TIMEOUT_SECONDS: wholeSeconds.default(1800),
  TRIAL_CREDIT_USD: z.coerce.number().min(0).max(1000).default(1),
  /** Unlike for other settings, empty does not mean the default: nothing needs approval. */
  APPROVAL_USD: z.union([z.literal(''), z.coerce.number().min(0).max(1_000_000).refine(isDollarAmount)]).default(100),
  DEMO_DATA: z.enum(['small', 'large']).default('small'),
  REQUIRE_STAFF_2FA: optional(z.stringbool()),
  INTERNAL_HOST: optional(z.string().min(1)),
  INTERNAL_PORT: optional(port),
  SOCKETS_MAX: z.coerce.number().int().min(10).max(1_000_000).default(2000),
  SOCKETS_PER_NETWORK: z.coerce.number().int().min(4).max(1_000_000).default(256),
  WRONG_TOKENS_PER_MINUTE: z.coerce.number().int().min(1).default(300),
  NODE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(60_000),
  REQUESTS_PER_MINUTE: optional(z.coerce.number().int().min(1)),
  INVOICES_PER_HOUR: optional(z.coerce.number().int().min(1)),
  TICKETS_PER_HOUR: optional(z.coerce.number().int().min(1)),
  TICKET_MESSAGES_PER_HOUR: optional(z.coerce.number().int().min(1)),
  NEWS_MAILS_PER_MINUTE: z.coerce.number().int().min(1).max(1000).default(100),
  OPEN_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(1_000_000).default(200),
  PURCHASES_PER_HOUR: z.coerce.number().int().min(1).max(1_000_000).default(600),
  UNUSED_RETURNS_PER_HOUR: z.coerce.number().int().min(1).max(1_000_000).default(20),
  RECONCILIATION_SECONDS: wholeSeconds.default(300),
  ...paymentEnvironment,
  METRICS_TOKEN: optional(z.string().regex(/^\S{16,}$/, 'METRICS_TOKEN needs at least 16 characters and no spaces')),
  TRUSTED_PROXIES: z.string().default('loopback'),
  /** Set by `npm start`, which handles Ctrl-C itself. */
  SUPERVISED: optional(z.stringbool()),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The environment variables of the programs of this workspace, parsed once. */
export interface Config {
  isDevelopment: boolean;
  host: string;
  port: number;
  /** Port of the internal API for gateways; undefined: the public port. */
  internalPort: number | undefined;
  internalHost: string;
  /** Without a trailing slash. */
  publicUrl: string;
  /** An echo for checks of exits besides that of `publicUrl`. */
  echoUrl: string | undefined;
  exitAddressesDays: number;
  databaseUrl: string;
  databasePoolSize: number;
  /** Statement timeout; undefined: the default of the program. */
  databaseTimeLimitMs: number | undefined;
  /** How long a request waits for a connection of the pool. */
  databaseAcquireLimitMs: number;
  secretKeys: SecretKeys;
  brandName: string;
  /** Contact address for blocked users and visitors; undefined: none is shown. */
  contactEmail: string | undefined;
  /** The promo code that visitors get; undefined: none. */
  publicPromoCode: string | undefined;
  /** Where to report a vulnerability: an email or a page; undefined: not published. */
  securityContact: string | undefined;
  /** The operator's own terms and other legal texts; undefined: the default texts apply. */
  legalTextsFolder: string | undefined;
  /** Undefined in development: mail goes to the built-in mail sink. */
  smtpUrl: string | undefined;
  mailFrom: string;
  mailSinkPort: number;
  /** The built-in node: the address shown to its customers, and its token. */
  gateway: { host: string; port: number; dnsPorts: PortRange; token: string };
  /** Of each connection, where its proxy has no limits of its own. */
  connectionLimits: ConnectionLimits;
  refundWindowMs: number;
  idleTimeoutMs: number;
  /** The trial credit of the demo's promo code. */
  trialCreditMicros: bigint;
  /** Larger changes of money by staff need the approval of a second member of staff; undefined: none do. */
  approvalMicros: bigint | undefined;
  /** In development: `large` adds months of history. */
  demoData: 'small' | 'large';
  /** Roles with any permission require two-factor sign-in. */
  requiresStaffSecondFactor: boolean;
  /** Per port of this process. */
  socketsMax: number;
  /** Also limits requests in progress per network, for clients behind a reverse proxy. */
  socketsPerNetwork: number;
  /** Per network. */
  requestsPerMinute: number;
  nodeRequestsPerMinute: number;
  wrongTokensPerMinute: number;
  /** Per user, because each may need an address that is watched forever. */
  invoicesPerHour: number;
  /** Per user. */
  ticketsPerHour: number;
  ticketMessagesPerHour: number;
  /** Of broadcasts, for all workers together. */
  newsMailsPerMinute: number;
  /** Per user, at a time. */
  openConnectionsMax: number;
  /** Per user. */
  purchasesPerHour: number;
  /** Per user: connections without traffic that they end themselves with a full refund. */
  unusedReturnsPerHour: number;
  /** Ignored in development, which uses the sandbox. */
  payments: PaymentSettings;
  /** Interval of the invariant checks. */
  reconciliationMs: number;
  /** Bearer token of /metrics; undefined: public in development, disabled in production. */
  metricsToken: string | undefined;
  trustedProxies: string;
  logLevel: string;
  isSupervised: boolean;
}

/** @throws Error with one line per invalid setting */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(parsed.error.issues.map(describe).join('\n'));
  const settings = parsed.data;
  const isDevelopment = settings.NODE_ENV !== 'production';
  const payments = readPaymentSettings(settings);
  if (settings.NODE_ENV === undefined) refuseForgottenProduction(settings);
  if (!isDevelopment) checkProductionSettings(settings, payments);
  return {
    isDevelopment,
    host: settings.HOST,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    internalHost: settings.INTERNAL_HOST ?? settings.HOST,
    publicUrl: (settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/$/, ''),
    echoUrl: settings.EXIT_ECHO_URL,
    exitAddressesDays: settings.EXIT_ADDRESSES_DAYS,
    databaseUrl: settings.DATABASE_URL,
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    databaseTimeLimitMs: settings.DATABASE_TIMEOUT_SECONDS && settings.DATABASE_TIMEOUT_SECONDS * 1000,
    databaseAcquireLimitMs: settings.DATABASE_POOL_TIMEOUT_SECONDS * 1000,
    secretKeys: settings.SECRET_KEY,
    brandName: settings.BRAND_NAME,
    contactEmail: settings.CONTACT_EMAIL,
    publicPromoCode: settings.PUBLIC_PROMO_CODE ?? (isDevelopment ? DEMO_PROMO_CODE : undefined),
    securityContact: settings.SECURITY_CONTACT,
    legalTextsFolder: settings.LEGAL_TEXTS_FOLDER,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? `${settings.BRAND_NAME} <no-reply@localhost>`,
    mailSinkPort: settings.MAIL_SINK_PORT,
    gateway: {
      host: settings.GATEWAY_HOST,
      port: settings.GATEWAY_PORT,
      dnsPorts: settings.GATEWAY_DNS_PORTS,
      token: settings.GATEWAY_TOKEN,
    },
    connectionLimits: {
      ports: settings.CONNECTION_PORTS,
      tunnels: settings.CONNECTION_TUNNELS ?? null,
      bytesPerSecond: settings.CONNECTION_MEGABITS_PER_SECOND ?? null,
    },
    refundWindowMs: settings.REFUND_WINDOW_SECONDS * 1000,
    idleTimeoutMs: settings.IDLE_TIMEOUT_SECONDS * 1000,
    trialCreditMicros: toMicros(settings.TRIAL_CREDIT_USD),
    approvalMicros: settings.APPROVAL_USD === '' ? undefined : toMicros(settings.APPROVAL_USD),
    demoData: settings.DEMO_DATA,
    requiresStaffSecondFactor: isStaffSecondFactorRequired(settings.REQUIRE_STAFF_2FA, isDevelopment),
    socketsMax: settings.SOCKETS_MAX,
    socketsPerNetwork: settings.SOCKETS_PER_NETWORK,
    nodeRequestsPerMinute: settings.NODE_REQUESTS_PER_MINUTE,
    wrongTokensPerMinute: settings.WRONG_TOKENS_PER_MINUTE,
    // Tests run a hundred users from one address.
    requestsPerMinute: settings.REQUESTS_PER_MINUTE ?? (isDevelopment ? 1_000_000 : 1200),
    invoicesPerHour: settings.INVOICES_PER_HOUR ?? (isDevelopment ? 1_000_000 : 30),
    ticketsPerHour: settings.TICKETS_PER_HOUR ?? (isDevelopment ? 1_000_000 : 10),
    ticketMessagesPerHour: settings.TICKET_MESSAGES_PER_HOUR ?? (isDevelopment ? 1_000_000 : 120),
    newsMailsPerMinute: settings.NEWS_MAILS_PER_MINUTE,
    openConnectionsMax: settings.OPEN_CONNECTIONS_MAX,
    purchasesPerHour: settings.PURCHASES_PER_HOUR,
    unusedReturnsPerHour: settings.UNUSED_RETURNS_PER_HOUR,
    payments,
    reconciliationMs: settings.RECONCILIATION_SECONDS * 1000,
    metricsToken: settings.METRICS_TOKEN,
    trustedProxies: settings.TRUSTED_PROXIES,
    logLevel: settings.LOG_LEVEL,
    isSupervised: settings.SUPERVISED ?? false,
  };
}

/** By default in production only: nobody should need an authenticator app to try the demo. */
export function isStaffSecondFactorRequired(setting: boolean | undefined, isDevelopment: boolean): boolean {
  return setting ?? !isDevelopment;
}

function describe(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.');
  return issue.message.startsWith(name) ? issue.message : `${name}: ${issue.message}`;
}

/**
 * Development publishes all mails, plays payments and has no limits, so it needs to be asked for where it can be reached or has data of
 * others: in a shop whose operator forgot NODE_ENV anybody could take over any account.
 */
function refuseForgottenProduction({ DATABASE_URL, PUBLIC_URL }: z.output<typeof environmentSchema>): void {
  for (const [name, value] of Object.entries({ DATABASE_URL, PUBLIC_URL }))
    if (value !== undefined && !isOnThisMachine(value))
      throw new Error(
        `NODE_ENV is not set, but ${name} is not of this machine: set NODE_ENV to production, or to development`,
      );
}

/** Of a URL. A database may also have the folder of a socket, and a host among its parameters. */
function isOnThisMachine(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, searchParams } = new URL(text);
  return [hostname, ...searchParams.getAll('host')].every((host) => LOCAL_HOST.test(host));
}

const LOCAL_HOST = /^(?:|localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|(?:%2F|\/).*)$/i;

/** Production has no built-in mail sink and no sandbox chain, so a missing setting must not fall back to them. */
function checkProductionSettings(settings: z.output<typeof environmentSchema>, payments: PaymentSettings): void {
  if (!settings.SMTP_URL) throw new Error('SMTP_URL is not set: production sends real mail');
  if (!settings.MAIL_FROM) throw new Error('MAIL_FROM is not set: production sends real mail');
  if (!settings.PUBLIC_URL) throw new Error('PUBLIC_URL is not set: mails link to it');
  requireCurrency(payments);
}
