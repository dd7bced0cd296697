/** The settings of API and worker: environment variables, parsed once. docs/settings.md explains them to the operator. */
import {
  bytesPerSecondSchema,
  type ConnectionLimits,
  portRuleSchema,
  tunnelsSchema,
} from '@cellhop/contract/connection-limits';
import {
  type Environment,
  hostSchema,
  logLevelSchema,
  originSchema,
  orProblem,
  portSchema,
  readEnvironment,
  type Setting,
  urlSchema,
} from '@cellhop/contract/environment';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import { portRangeSchema } from '@cellhop/contract/network';
import { promoCodeFields } from '@cellhop/contract/staff/promo-codes.forms';
import { megabitsToBytes, toMicros } from '@cellhop/contract/units';
import { z } from 'zod';
import { readPaymentSettings } from '../payments/settings.ts';
import type { SecretKeys } from '../secrets/keys.ts';
import { readSeller } from './seller.ts';

export type Config = ReturnType<typeof loadConfig>;

interface ApiEnvironment extends Environment {
  isDevelopment: boolean;
}

/** Created with the demo. */
export const DEMO_PROMO_CODE = 'WELCOME';

/** @throws Error with one line per missing or invalid setting */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env, onRead?: (setting: Setting) => void) {
  const readAll = ({ read, problems }: Environment) => {
    const isDevelopment = read('NODE_ENV', z.enum(['development', 'production', 'test']).optional()) !== 'production';
    const environment = { read, problems, isDevelopment };
    refuseForgottenProduction(variables, problems);
    return {
      isDevelopment,
      ...readAddresses(environment),
      ...readSecrets(environment),
      ...readDatabase(environment),
      ...readMail(environment),
      ...readSeller(environment),
      ...readBusiness(environment),
      ...readUserLimits(environment),
      ...readNetworkLimits(environment),
      /** Larger changes of money by staff need the approval of a second member of staff; undefined: none do. */
      approvalMicros:
        // Unlike for other settings, empty does not mean the default.
        variables['APPROVAL_USD']?.trim() === '' ? undefined : read('APPROVAL_USD', dollars(1_000_000, 100)),
      /** Ignored in development, which uses the sandbox. */
      payments: readPaymentSettings(environment),
      logLevel: read('LOG_LEVEL', logLevelSchema),
      /** Set by `npm start`, which handles Ctrl-C itself. */
      isSupervised: read('SUPERVISED', z.stringbool().default(false)),
    };
  };
  return readEnvironment(variables, readAll, onRead);
}

const whole = (min: number, max = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(min).max(max);
const wholeSeconds = whole(1, 31_536_000);
const toMs = (seconds: number) => seconds * 1000;
const dollars = (max: number, byDefault: number) =>
  z.coerce.number().min(0).max(max).default(byDefault).transform(orProblem(toMicros));
/** Production has no built-in mail sink and no address of its own, so a missing setting must not fall back to them. */
const neededInProduction = <T extends z.ZodType>(isDevelopment: boolean, schema: T, message: string) =>
  schema.optional().refine((value) => isDevelopment || value !== undefined, message);

const networkSchema = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
/** As `proxy-addr` takes them. */
const trustedProxiesSchema = z.string().refine(
  (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .every((part) => /^(?:loopback|linklocal|uniquelocal)$/.test(part) || networkSchema.safeParse(part).success),
  'must be addresses, networks or "loopback", separated by commas',
);

function readAddresses({ read, isDevelopment }: ApiEnvironment) {
  const host = read('HOST', hostSchema.default('127.0.0.1'));
  const port = read('PORT', portSchema.default(3000));
  const url = neededInProduction(
    isDevelopment,
    originSchema('https://shop.example.com'),
    'PUBLIC_URL is not set: mails link to it',
  );
  const gatewayHost = neededInProduction(isDevelopment, hostSchema, 'GATEWAY_HOST is not set: customers connect to it');
  return {
    host,
    port,
    /** Port of the internal API for gateways; undefined: the public port. */
    internalPort: read('INTERNAL_PORT', portSchema.optional()),
    internalHost: read('INTERNAL_HOST', hostSchema.default(host)),
    /** Without a trailing slash. */
    publicUrl: read('PUBLIC_URL', url) ?? `http://localhost:${port}`,
    /** Browsers then refuse plain HTTP on all other names below the host of `publicUrl` too, for a year. */
    isHttpsOnSubdomains: read('HSTS_SUBDOMAINS', z.stringbool().default(false)),
    /** An echo for checks of exits besides that of `publicUrl`. */
    echoUrl: read('EXIT_ECHO_URL', urlSchema(/^https?:$/, 'https://echo.example.com').optional()),
    trustedProxies: read('TRUSTED_PROXIES', trustedProxiesSchema.default('loopback')),
    /** The built-in node: the address shown to its customers, and its token. */
    gateway: {
      host: read('GATEWAY_HOST', gatewayHost) ?? '127.0.0.1',
      port: read('GATEWAY_PORT', portSchema.default(1080)),
      dnsPorts: read('GATEWAY_DNS_PORTS', portRangeSchema.default({ first: 20_000, last: 20_999 })),
      token: read('GATEWAY_TOKEN', z.string({ error: 'GATEWAY_TOKEN is not set' }).min(16)),
    },
  };
}

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
const metricsTokenSchema = z.string().regex(/^\S{16,}$/, 'METRICS_TOKEN needs at least 16 characters and no spaces');

function readSecrets({ read, isDevelopment }: ApiEnvironment) {
  return {
    secretKeys: read('SECRET_KEY', secretKeysSchema),
    /** Roles with any permission require two-factor sign-in. Nobody should need an authenticator app to try the demo. */
    requiresStaffSecondFactor: read('REQUIRE_STAFF_2FA', z.stringbool().default(!isDevelopment)),
    /** Bearer token of /metrics; undefined: public in development, disabled in production. */
    metricsToken: read('METRICS_TOKEN', metricsTokenSchema.optional()),
  };
}

function readDatabase({ read }: Environment) {
  return {
    databaseUrl: read(
      'DATABASE_URL',
      urlSchema(/^postgres(?:ql)?:$/, 'postgres://user:password@database.example.com/cellhop'),
    ),
    databasePoolSize: read('DATABASE_POOL_SIZE', whole(2, 500).default(20)),
    /** Statement timeout; undefined: the default of the program. */
    databaseTimeLimitMs: read('DATABASE_TIMEOUT_SECONDS', whole(1, 600).transform(toMs).optional()),
    /** How long a request waits for a connection of the pool. */
    databaseAcquireLimitMs: toMs(read('DATABASE_POOL_TIMEOUT_SECONDS', whole(1, 600).default(3))),
    /** Interval of the invariant checks. */
    reconciliationMs: toMs(read('RECONCILIATION_SECONDS', wholeSeconds.default(300))),
    /** Outside of the database: which addresses were shown (`invoices/witness.service.ts`). */
    witnessFile: read('WITNESS_FILE', z.string().optional()),
    /** Of `npm run backup` and `npm run restore` (docs/backup.md). */
    backup: {
      folder: read('BACKUP_FOLDER', z.string().optional()),
      keptCount: read('BACKUP_KEEP', whole(1, 10_000).default(7)),
      /** Staff are told when the newest one is older. */
      ageMaxMs: read('BACKUP_AGE_HOURS', whole(1, 10_000).default(26)) * 3_600_000,
      /** Undefined: dumps are not encrypted. */
      recipient: read(
        'BACKUP_RECIPIENT',
        z
          .string()
          .regex(/^(?:age1|ssh-)\S/, 'must be a public key of age or SSH')
          .optional(),
      ),
      /** The folder of pg_dump and pg_restore; undefined: they are on PATH. */
      programs: read('POSTGRES_PROGRAMS', z.string().optional()),
    },
    /** In MaxMind's format; undefined: where addresses are is not known. */
    places: {
      countryFile: read('MMDB_COUNTRY_FILE', z.string().optional()),
      operatorFile: read('MMDB_OPERATOR_FILE', z.string().optional()),
    },
    exitAddressesDays: read('EXIT_ADDRESSES_DAYS', whole(1, 3650).default(365)),
  };
}

const senderSchema = z
  .string()
  .regex(/^(?:[^<>]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/, 'must be like Cellhop <mail@shop.example.com>');

function readMail({ read, isDevelopment }: ApiEnvironment) {
  const needed = (schema: z.ZodType<string>, name: string) =>
    read(name, neededInProduction(isDevelopment, schema, `${name} is not set: production sends real mail`));
  const brandName = read('BRAND_NAME', z.string().max(60).default('Cellhop'));
  return {
    brandName,
    /** Undefined in development: mail goes to the built-in mail sink. */
    smtpUrl: needed(urlSchema(/^smtps?:$/, 'smtp://user:password@mail.example.com'), 'SMTP_URL'),
    mailFrom: needed(senderSchema, 'MAIL_FROM') ?? `${brandName} <no-reply@localhost>`,
    /** Where replies to emails go; undefined: to `mailFrom`. */
    mailReplyTo: read('MAIL_REPLY_TO', senderSchema.optional()),
    mailSinkPort: read('MAIL_SINK_PORT', portSchema.default(2525)),
    /** Of broadcasts, for all workers together. */
    newsMailsPerMinute: read('NEWS_MAILS_PER_MINUTE', whole(1, 1000).default(100)),
    /** Contact address for blocked users and visitors; undefined: none is shown. */
    contactEmail: read('CONTACT_EMAIL', z.email().optional()),
    /** Who gets an email about each new ticket; undefined: nobody. */
    ticketEmail: read('TICKET_EMAIL', z.email().optional()),
    /** Where to report a vulnerability: an email or a page; undefined: not published. */
    securityContact: read(
      'SECURITY_CONTACT',
      z.union([z.email(), z.url({ protocol: /^https$/ })], 'must be an email or an https URL').optional(),
    ),
  };
}

function readBusiness({ read, isDevelopment }: ApiEnvironment) {
  const demoPromoCode = isDevelopment ? DEMO_PROMO_CODE : undefined;
  const megabits = z.coerce.number().transform(megabitsToBytes).pipe(bytesPerSecondSchema);
  const connectionLimits: ConnectionLimits = {
    ports: read('CONNECTION_PORTS', portRuleSchema.default('deny 25')),
    tunnels: read('CONNECTION_TUNNELS', z.coerce.number().pipe(tunnelsSchema).optional()) ?? null,
    bytesPerSecond: read('CONNECTION_MEGABITS_PER_SECOND', megabits.optional()) ?? null,
  };
  return {
    /** Of each connection, where its proxy has no limits of its own. */
    connectionLimits,
    /** The promo code that visitors get; undefined: none. */
    publicPromoCode: read('PUBLIC_PROMO_CODE', promoCodeFields.shape.code.optional()) ?? demoPromoCode,
    /** The operator's own terms and other legal texts; undefined: the default texts apply. */
    legalTextsFolder: read('LEGAL_TEXTS_FOLDER', z.string().optional()),
    /** The operator's own logo, icons and social image; undefined: those of the web app. */
    brandImagesFolder: read('BRAND_IMAGES_FOLDER', z.string().optional()),
    rotationCooldownMs: toMs(read('ROTATION_COOLDOWN_SECONDS', whole(1, 86_400).default(60))),
    rotationsPerHour: read('ROTATIONS_PER_HOUR', whole(1, 3600).default(30)),
    refundWindowMs: toMs(read('REFUND_WINDOW_SECONDS', wholeSeconds.default(1800))),
    idleTimeoutMs: toMs(read('IDLE_TIMEOUT_SECONDS', wholeSeconds.default(1800))),
    /** The trial credit of the demo's promo code. */
    trialCreditMicros: read('TRIAL_CREDIT_USD', dollars(1000, 1)),
    /** In development: `large` adds months of history. */
    demoData: read('DEMO_DATA', z.enum(['small', 'large']).default('small')),
  };
}

/** Of one user. */
function readUserLimits({ read, isDevelopment }: ApiEnvironment) {
  const unlimitedInDevelopment = (limit: number) => whole(1).default(isDevelopment ? 1_000_000 : limit);
  return {
    /** Each may need an address that is watched forever. */
    invoicesPerHour: read('INVOICES_PER_HOUR', unlimitedInDevelopment(30)),
    ticketsPerHour: read('TICKETS_PER_HOUR', unlimitedInDevelopment(10)),
    /** All files in all tickets together. 0: none are accepted. */
    ticketFilesBytes: read('TICKET_FILES_MEGABYTES', whole(0, 1_000_000).default(2048)) * BYTES_PER_MEGABYTE,
    ticketMessagesPerHour: read('TICKET_MESSAGES_PER_HOUR', unlimitedInDevelopment(120)),
    /** At a time. */
    openConnectionsMax: read('OPEN_CONNECTIONS_MAX', whole(1, 1_000_000).default(200)),
    purchasesPerHour: read('PURCHASES_PER_HOUR', whole(1, 1_000_000).default(600)),
    /** Connections without traffic that they end themselves with a full refund. */
    unusedReturnsPerHour: read('UNUSED_RETURNS_PER_HOUR', whole(1, 1_000_000).default(20)),
  };
}

/** Of one network, but for `socketsMax`. */
function readNetworkLimits({ read, isDevelopment }: ApiEnvironment) {
  return {
    /** Per port of this process. */
    socketsMax: read('SOCKETS_MAX', whole(10, 1_000_000).default(2000)),
    /** Also limits requests in progress, for clients behind a reverse proxy. */
    socketsPerNetwork: read('SOCKETS_PER_NETWORK', whole(4, 1_000_000).default(256)),
    // Tests run a hundred users from one address.
    requestsPerMinute: read('REQUESTS_PER_MINUTE', whole(1).default(isDevelopment ? 1_000_000 : 1200)),
    nodeRequestsPerMinute: read('NODE_REQUESTS_PER_MINUTE', whole(1).default(60_000)),
    /** In a day. Carriers share an address among thousands of customers. Not counted in development. */
    trialCreditsPerNetwork: read('TRIAL_CREDITS_PER_NETWORK', whole(1).default(20)),
    wrongTokensPerMinute: read('WRONG_TOKENS_PER_MINUTE', whole(1).default(300)),
  };
}

/**
 * Development publishes all mails, plays payments and has no limits, so it needs to be asked for where it can be reached or has data of
 * others: in a shop whose operator forgot NODE_ENV anybody could take over any account.
 */
function refuseForgottenProduction(variables: NodeJS.ProcessEnv, problems: string[]): void {
  const { NODE_ENV, DATABASE_URL, PUBLIC_URL } = variables;
  if (NODE_ENV?.trim()) return;
  for (const [name, value] of Object.entries({ DATABASE_URL, PUBLIC_URL }))
    if (value?.trim() && !isOnThisMachine(value))
      problems.push(
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
