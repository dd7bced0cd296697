import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from './config.ts';

const complete = {
  DATABASE_URL: 'postgres://localhost/cellhop',
  SECRET_KEY: 'a secret key of at least 32 characters',
  GATEWAY_TOKEN: 'a token of the gateway',
};
const production = {
  ...complete,
  NODE_ENV: 'production',
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'Cellhop <mail@example.com>',
  PUBLIC_URL: 'https://cellhop.example.com',
  GATEWAY_HOST: 'proxy.example.com',
};
/** An account of the seed phrase `abandon` x 11 + `about`. */
const payments = {
  PAY_BTC_XPUB:
    'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  PAY_BTC_ADDRESS_0: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  PAY_BTC_URLS: 'http://127.0.0.1:8332',
};

const keysOf = (SECRET_KEY: string) => loadConfig({ ...complete, SECRET_KEY }).secretKeys;

const limitsOf = (settings: NodeJS.ProcessEnv) => loadConfig({ ...complete, ...settings }).connectionLimits;

/** The names at the beginning of the lines of the error. */
function reported(settings: NodeJS.ProcessEnv) {
  try {
    loadConfig(settings);
    return [];
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    return [...new Set(lines.map((line) => /^[A-Z][A-Z_0-9]+|^No payment currency/.exec(line)?.[0]))];
  }
}

/** Of all settings that are read. */
const names: string[] = [];
loadConfig(
  new Proxy<NodeJS.ProcessEnv>(complete, {
    get: (_, name: keyof typeof complete) => {
      if (!names.includes(name)) names.push(name);
      return complete[name];
    },
  }),
);

describe('loadConfig', () => {
  test('development needs three settings and has a default for the rest', () => {
    expect(loadConfig(complete)).toMatchObject({
      isDevelopment: true,
      port: 3000,
      publicUrl: 'http://localhost:3000',
      brandName: 'Cellhop',
      refundWindowMs: 1_800_000,
      idleTimeoutMs: 1_800_000,
      trialCreditMicros: 1_000_000n,
      reconciliationMs: 300_000,
      metricsToken: undefined,
      gateway: { host: '127.0.0.1', port: 1080, dnsPorts: { first: 20_000, last: 20_999 } },
    });
  });

  test('limits of connections are mail servers alone by default, and refuse what no gateway could apply', () => {
    expect(limitsOf({})).toEqual({ ports: 'deny 25', tunnels: null, bytesPerSecond: null });
    const settings = {
      CONNECTION_PORTS: 'Allow 443,80',
      CONNECTION_TUNNELS: '20',
      CONNECTION_MEGABITS_PER_SECOND: '2.5',
    };
    expect(limitsOf(settings)).toEqual({ ports: 'allow 80 443', tunnels: 20, bytesPerSecond: 312_500 });
    expect(limitsOf({ CONNECTION_TUNNELS: '', CONNECTION_MEGABITS_PER_SECOND: '' })).toMatchObject({ tunnels: null });
    for (const [name, wrong] of [
      ['CONNECTION_PORTS', '25'],
      ['CONNECTION_TUNNELS', '0'],
      ['CONNECTION_MEGABITS_PER_SECOND', '0.01'],
    ] as const)
      expect(() => limitsOf({ [name]: wrong })).toThrow(name);
  });

  test.each([
    [undefined, false],
    ['', false],
    ['false', false],
    ['true', true],
    ['1', true],
  ])('REQUIRE_STAFF_2FA=%s is %s', (value, expected) => {
    expect(loadConfig({ ...complete, REQUIRE_STAFF_2FA: value }).requiresStaffSecondFactor).toBe(expected);
    expect(() => loadConfig({ ...complete, REQUIRE_STAFF_2FA: 'perhaps' })).toThrow('REQUIRE_STAFF_2FA');
  });

  test.each([
    [undefined, true],
    ['false', false],
  ])('REQUIRE_STAFF_2FA=%s in production is %s', (value, expected) => {
    const config = loadConfig({ ...production, ...payments, REQUIRE_STAFF_2FA: value });
    expect(config.requiresStaffSecondFactor).toBe(expected);
  });

  test.each([
    [undefined, 100_000_000n],
    ['', undefined],
    ['0', 0n],
    ['49.99', 49_990_000n],
  ])('APPROVAL_USD %j: approval above %d micro-dollars, and none if it is empty', (APPROVAL_USD, approvalMicros) => {
    expect(loadConfig({ ...complete, APPROVAL_USD }).approvalMicros).toBe(approvalMicros);
  });

  test.each(['', ' '])('a variable with %j counts as unset', (empty) => {
    const unset = Object.fromEntries(names.map((name) => [name, empty]));
    expect(loadConfig({ ...unset, ...complete, APPROVAL_USD: undefined })).toEqual(loadConfig(complete));
    expect(() => loadConfig({ ...unset })).toThrow('DATABASE_URL is not set');
  });

  test('docs/settings.md has each setting', () => {
    const documented = fs.readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
    // The exchanges share a row, and npm start alone sets the last one.
    const others = [/^RATES_[A-Z]+_URL$/, /^SUPERVISED$/];
    expect(names.filter((name) => !documented.includes(`\`${name}\``) && !others.some((it) => it.test(name)))).toEqual(
      [],
    );
  });

  test('reports all missing and invalid settings at once', { tags: ['thorough'] }, () => {
    expect(reported({ NODE_ENV: 'production' })).toEqual([
      'PUBLIC_URL',
      'GATEWAY_HOST',
      'GATEWAY_TOKEN',
      'SECRET_KEY',
      'DATABASE_URL',
      'SMTP_URL',
      'MAIL_FROM',
      'No payment currency',
    ]);
    const development = { ...complete, NODE_ENV: 'development' };
    // An address belongs to a key, which is reported in its place.
    const alone = names.filter(
      (name) => !name.endsWith('_ADDRESS_0') && reported({ ...development, [name]: '\u0001' }).length > 0,
    );
    expect(alone.length).toBeGreaterThan(50);
    const together = reported({ ...development, ...Object.fromEntries(alone.map((name) => [name, '\u0001'])) });
    expect(new Set(together)).toEqual(new Set(alone));
  });

  test.each(['DATABASE_URL', 'SECRET_KEY', 'GATEWAY_TOKEN'])('reports that %s is missing', (name) => {
    expect(() => loadConfig({ ...complete, [name]: undefined })).toThrow(`${name} is not set`);
  });

  test.each([
    { PORT: '70000' },
    { SECRET_KEY: 'short' },
    { GATEWAY_DNS_PORTS: '20000' },
    { GATEWAY_DNS_PORTS: '20999-20000' },
    { REFUND_WINDOW_SECONDS: '0' },
    { RECONCILIATION_SECONDS: '0' },
    { METRICS_TOKEN: 'too short' },
    { METRICS_TOKEN: 'long enough but with spaces' },
    { NODE_ENV: 'staging' },
  ])('refuses %j and names it', (wrong) => {
    expect(() => loadConfig({ ...complete, ...wrong })).toThrow(Object.keys(wrong)[0]!);
  });

  test.each([
    [{ PUBLIC_URL: 'https://Shop.example.com:8443/' }, 'https://shop.example.com:8443'],
    [{ PUBLIC_URL: ' http://192.0.2.1 ' }, 'http://192.0.2.1'],
    [{ PUBLIC_URL: 'http://[2001:db8::1]:3000' }, 'http://[2001:db8::1]:3000'],
  ])('%j is the address %s', (setting, publicUrl) => {
    expect(loadConfig({ ...complete, NODE_ENV: 'development', ...setting }).publicUrl).toBe(publicUrl);
  });

  test.each([
    ...[
      'shop.example.com',
      'shop.example.com:8443',
      '//shop.example.com',
      'ftp://shop.example.com',
      'https:shop.example.com',
      'https:///shop.example.com',
      'https://shop.example.com//',
      'https://shop.example.com/shop',
      'https://shop.example.com?a=b',
      'https://shop.example.com/#top',
      'https://user:password@shop.example.com',
      'https://shop.example.com:port',
    ].map((text) => ({ PUBLIC_URL: text })),
    { EXIT_ECHO_URL: 'echo.example.com:443' },
    { DATABASE_URL: 'mysql://localhost/cellhop' },
    { DATABASE_URL: 'localhost:5432/cellhop' },
    { SMTP_URL: 'mail.example.com:587' },
    { SMTP_URL: 'https://mail.example.com' },
    { SECURITY_CONTACT: 'security' },
    { MAIL_FROM: 'Cellhop' },
    { HOST: '0.0.0.0:3000' },
    { INTERNAL_HOST: 'http://10.0.0.1' },
    { GATEWAY_HOST: 'https://proxy.example.com' },
    { TRUSTED_PROXIES: '10.0.0.0/99' },
    { TRUSTED_PROXIES: 'all' },
    { PORT: '3000/tcp' },
    { REFUND_WINDOW_SECONDS: '30m' },
    { REFUND_WINDOW_SECONDS: '1.5' },
    { DEMO_DATA: 'huge' },
    { TRIAL_CREDIT_USD: '$5' },
    { PAY_WATCH_DAYS: '1000' },
    { BRAND_NAME: 'x'.repeat(100) },
  ])('%j is refused in a sentence', (setting) => {
    const [name] = Object.keys(setting);
    const load = () => loadConfig({ ...complete, NODE_ENV: 'development', ...setting });
    expect(load).toThrow(new RegExp(`^${name} (?:is|has|must|needs) [^:]`));
    expect(load).not.toThrow(/Invalid|Too (?:big|small)|expected|received/);
  });

  test.each(['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL', 'GATEWAY_HOST'])('production does not start without %s', (name) => {
    expect(() => loadConfig({ ...production, [name]: undefined })).toThrow(name);
  });

  test.each([
    { DATABASE_URL: 'postgres://database/cellhop' },
    { DATABASE_URL: 'postgres://user:secret@10.0.0.5:5432/cellhop' },
    { DATABASE_URL: 'postgres://localhost/cellhop?host=database' },
    { DATABASE_URL: 'postgres://127.0.0.1.example.com/cellhop' },
    { DATABASE_URL: 'postgres://one,two/cellhop' },
    { PUBLIC_URL: 'https://cellhop.example.com' },
    { PUBLIC_URL: 'http://192.168.1.10:3000' },
  ])('without NODE_ENV does not start with %j', (setting) => {
    const [name] = Object.keys(setting);
    for (const NODE_ENV of [undefined, ''])
      expect(() => loadConfig({ ...complete, ...setting, NODE_ENV })).toThrow(`NODE_ENV is not set, but ${name}`);
    expect(loadConfig({ ...complete, ...setting, NODE_ENV: 'development' }).isDevelopment).toBe(true);
  });

  test.each([
    { DATABASE_URL: 'postgres:///cellhop?host=/var/run/postgresql' },
    { DATABASE_URL: 'postgres://%2Fvar%2Frun%2Fpostgresql/cellhop' },
    { DATABASE_URL: 'postgres://user:secret@127.0.0.1:5432/cellhop' },
    { PUBLIC_URL: 'http://[::1]:3000' },
    { PUBLIC_URL: 'http://shop.localhost:3000/' },
  ])('without NODE_ENV starts for development with %j', (setting) => {
    expect(loadConfig({ ...complete, ...setting }).isDevelopment).toBe(true);
  });

  test('SECRET_KEY has one key, or several separated by commas', () => {
    const [newest, older] = ['n'.repeat(32), 'o'.repeat(32)];
    expect(keysOf(newest)).toEqual([newest]);
    expect(keysOf(`${newest}, ${older}`)).toEqual([newest, older]);
    expect(keysOf(`${newest}\\,${older}`)).toEqual([`${newest},${older}`]);
    for (const wrong of [
      `${newest},short`,
      `${newest},`,
      `${newest},${newest}`,
      'abcdef'
        .split('')
        .map((it) => it.repeat(32))
        .join(),
    ])
      expect(() => keysOf(wrong)).toThrow('SECRET_KEY');
  });

  test('production refuses to start without real payments, and lists the missing settings', () => {
    expect(() => loadConfig(production)).toThrow(
      /refuses the sandbox. Set PAY_BTC_XPUB, PAY_BTC_ADDRESS_0 and PAY_BTC_URLS/,
    );
  });
});
