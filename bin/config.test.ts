import { describe, expect, test } from 'vitest';
import { loadConfig } from '../api/src/process/config.ts';
import { parseConfig } from '../gateway/src/config.ts';
import { runConfig } from './config.mjs';
import { requiredInProduction, secretNames } from './setting-names.mjs';
import { parseFile } from './settings.mjs';

type Origin = 'environment' | 'credential' | 'file';
const readers = { api: loadConfig, gateway: parseConfig };
const config = (values: string[], given: Record<string, [string, Origin]> = {}) =>
  runConfig(values, {
    readers,
    settings: new Map(Object.entries(given).map(([name, [value, origin]]) => [name, { value, origin }])),
  });

const VALID: Record<string, [string, Origin]> = {
  NODE_ENV: ['production', 'file'],
  DATABASE_URL: ['postgres://me:hunter2@db.example.com:5433/shop?password=hunter2', 'credential'],
  SECRET_KEY: [`hunter2${'x'.repeat(32)}`, 'credential'],
  GATEWAY_TOKEN: ['hunter2hunter2hunter2', 'file'],
  SMTP_URL: ['smtp://me:hunter2@mail.example.com', 'file'],
  MAIL_FROM: ['Shop <mail@shop.example.com>', 'file'],
  PUBLIC_URL: ['https://shop.example.com', 'environment'],
  GATEWAY_HOST: ['proxy.example.com', 'file'],
  PAY_EVM_XPUB: [
    'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
    'file',
  ],
  PAY_EVM_ADDRESS_0: ['0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'file'],
  PAY_ETH_URLS: ['https://mainnet.example.com/v3/hunter2,https://b.example.com#key=hunter2', 'file'],
};

describe('cellhop config', () => {
  test('prints each setting with its value and origin, and no secret', () => {
    const { code, output, errors } = config(['api'], VALID);
    expect([code, errors]).toEqual([0, '']);
    const rows = Object.fromEntries(
      output.split('\n').map((line) => [line.split(' ')[0], line.split(/ {2,}/).slice(1)]),
    );
    expect(rows).toMatchObject({
      DATABASE_URL: ['postgres://db.example.com:5433/shop (rest hidden)', 'credential'],
      SECRET_KEY: ['(hidden)', 'credential'],
      SMTP_URL: ['smtp://mail.example.com (rest hidden)', 'file'],
      MAIL_FROM: ['Shop <mail@shop.example.com>', 'file'],
      PUBLIC_URL: ['https://shop.example.com', 'environment'],
      PAY_EVM_XPUB: ['(hidden)', 'file'],
      PAY_ETH_URLS: ['https://mainnet.example.com (rest hidden), https://b.example.com (rest hidden)', 'file'],
      PORT: ['3000', 'default'],
      REFUND_WINDOW_SECONDS: ['1800', 'default'],
      GATEWAY_DNS_PORTS: ['20000-20999', 'default'],
      REQUIRE_STAFF_2FA: ['true', 'default'],
      CONNECTION_PORTS: ['deny 25', 'default'],
      CONTACT_EMAIL: ['unset', 'default'],
    });
    expect(output).not.toContain('hunter2');
    expect(output).not.toContain('xpub6');
  });

  test('with missing or wrong settings it prints the others, names these and ends with 78', () => {
    const { code, output, errors } = config(['gateway'], {
      NODE_ENV: ['production', 'file'],
      GATEWAY_PORT: ['x', 'file'],
    });
    expect(code).toBe(78);
    expect(output).toMatch(/^GATEWAY_PORT +x +file/m);
    for (const name of ['GATEWAY_PORT', ...requiredInProduction.gateway]) expect(errors).toContain(name);
    expect(errors).not.toContain('DATABASE_URL');
    expect(config([], { NODE_ENV: ['production', 'file'] }).errors).toContain('DATABASE_URL');
  });

  test('arguments that it does not know end with 2 and the help', () => {
    expect(config(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('--template') });
    for (const values of [['worker'], ['api', 'gateway'], ['--tempate']])
      expect(config(values)).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('--template') });
  });
});

const filled = (text: string) => text.split('\n').filter((line) => /^[A-Z]/.test(line));

describe('the template', () => {
  test('is a settings file with each required name, and with the others as comments', () => {
    const { output } = config(['--template']);
    const found = parseFile(output, 'x');
    const required = [...requiredInProduction.api, ...requiredInProduction.gateway];
    expect(new Set(Object.keys(found))).toEqual(new Set(['NODE_ENV', ...required]));
    expect([found['SECRET_KEY'], found['GATEWAY_TOKEN']]).toEqual(
      Array(2).fill(expect.stringMatching(/^[0-9a-f]{64}$/)),
    );
    for (const line of ['#PORT=3000', '#PAY_BTC_XPUB=', '#DATABASE_POOL_SIZE=20', '#LOG_LEVEL=info'])
      expect(output.split('\n')).toContain(line);
    expect(() => parseFile(output.replaceAll(/^#(?=[A-Z])/gm, ''), 'x')).not.toThrow();
  });

  test('of the gateway has its settings alone', () => {
    const { output } = config(['--template', 'gateway']);
    expect(filled(output).map((line) => line.split('=')[0])).toEqual([
      'NODE_ENV',
      'GATEWAY_HOST',
      'GATEWAY_CONTROL_URL',
      'GATEWAY_TOKEN',
      'GATEWAY_NAME_SERVERS',
    ]);
    expect(output).not.toContain('PAY_');
  });

  test('has new secrets each time', () => {
    expect(config(['--template']).output).not.toBe(config(['--template']).output);
  });
});

test('what production requires before a build is what the schemas require, and secrets are settings', () => {
  for (const [part, read] of Object.entries(readers)) {
    const required: string[] = [];
    const onRead = ({ name, isRequired }: { name: string; isRequired: boolean }) => isRequired && required.push(name);
    expect(() => read({ NODE_ENV: 'production' }, onRead)).toThrow('GATEWAY_TOKEN');
    expect(new Set(required)).toEqual(new Set(requiredInProduction[part as 'api' | 'gateway']));
  }
  expect(secretNames).toHaveLength(17);
});
