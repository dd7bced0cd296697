import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../tools/temporary-directory.ts';
import { parseArguments } from './arguments.mjs';
import { completeSettings, parseFile, readSettings } from './settings.mjs';

function write(name: string, text: string | Buffer): string {
  const file = path.join(temporaryDirectory(), name);
  fs.writeFileSync(file, text);
  return file;
}

/** @returns values and origins */
function read(environment: NodeJS.ProcessEnv, text = ''): Record<string, [string, string]> {
  const { settings } = readSettings(environment, write('cellhop.env', text));
  return Object.fromEntries([...settings].map(([name, { value, origin }]) => [name, [value, origin]]));
}

describe('the settings file', () => {
  test('has names and values, comments and empty lines; quotes around a value are no part of it', () => {
    const lines = [
      '\uFEFF# a comment',
      '',
      'PORT=3001\r',
      '  HOST = 127.0.0.2  ',
      'MAIL_FROM=Cellhop <mail@shop.example.com>',
      'BRAND_NAME="A \'good\' shop"',
      "CONTACT_EMAIL='me@example.com'",
      'PAY_TRON_URLS=https://api.trongrid.io#TRON-PRO-API-KEY=a=b,http://10.0.0.5:8090',
      'METRICS_TOKEN=$HOME\\n`id`',
      'APPROVAL_USD=',
    ];
    expect(parseFile(lines.join('\n'), 'x')).toEqual({
      PORT: '3001',
      HOST: '127.0.0.2',
      MAIL_FROM: 'Cellhop <mail@shop.example.com>',
      BRAND_NAME: "A 'good' shop",
      CONTACT_EMAIL: 'me@example.com',
      PAY_TRON_URLS: 'https://api.trongrid.io#TRON-PRO-API-KEY=a=b,http://10.0.0.5:8090',
      METRICS_TOKEN: '$HOME\\n`id`',
      APPROVAL_USD: '',
    });
  });

  test.each([
    ['PORT', 'Line 1 of x is not NAME=value.'],
    ['export PORT=1', 'Line 1 of x is not NAME=value.'],
    ['port=1', 'Line 1 of x is not NAME=value.'],
    ['#\nSECRET_KEY="half', 'Line 2 of x: the value of SECRET_KEY has an unpaired quote.'],
    ['PORT=1\nHOST=a\nPORT=1', 'Line 3 of x sets PORT a second time.'],
    ['GATWAY_TOKEN=secret', 'Line 1 of x: GATWAY_TOKEN is not a setting: is GATEWAY_TOKEN meant?'],
    ['NODE_OPTIONS=--inspect', 'Line 1 of x: NODE_OPTIONS is not a setting.'],
    ['PORT_FILE=/x', 'Line 1 of x: PORT_FILE is not a setting.'],
    ['a\nb', 'Line 1 of x is not NAME=value.\nLine 2 of x is not NAME=value.'],
    ['\0\u{1}', 'Line 1 of x is not NAME=value.'],
  ])('%j is refused, without its value', (text, message) => {
    expect(() => parseFile(text, 'x')).toThrow(new Error(message));
  });

  test('that is missing, a directory or not readable is named in a sentence', () => {
    expect(() => readSettings({}, '/nonexistent')).toThrow('The settings file /nonexistent does not exist.');
    expect(() => readSettings({}, '/tmp')).toThrow('The settings file /tmp is a directory.');
    expect(() => readSettings({}, '/proc/self/mem')).toThrow('The settings file /proc/self/mem cannot be read: EIO');
  });
});

describe('a value', () => {
  test('of the environment wins over the file, and an empty one does not, but for APPROVAL_USD', () => {
    const text = 'PORT=1\nHOST=a\nAPPROVAL_USD=5\nMAIL_FROM=';
    expect(read({ PORT: '2', HOST: '', APPROVAL_USD: '', LANG: 'C' }, text)).toEqual({
      PORT: ['2', 'environment'],
      HOST: ['a', 'file'],
      APPROVAL_USD: ['', 'environment'],
    });
  });

  test('of a secret may be in a file of its own, whose last line break is no part of it', () => {
    const secret = write('secret', 'a secret\n');
    expect(read({ SECRET_KEY_FILE: secret }, `GATEWAY_TOKEN_FILE=${secret}\nPAY_BTC_XPUB_FILE=${secret}`)).toEqual({
      SECRET_KEY: ['a secret', 'environment'],
      GATEWAY_TOKEN: ['a secret', 'file'],
      PAY_BTC_XPUB: ['a secret', 'file'],
    });
  });

  test.each(['', '\n', 'one\ntwo\n', 'a\0b'])('of a secret file cannot be %j', (text) => {
    expect(() => read({ SECRET_KEY_FILE: write('secret', text) })).toThrow('must have one line with the secret.');
  });

  test('cannot be given twice, in a place and in a file that this place names', () => {
    expect(() => read({}, 'SECRET_KEY=a\nSECRET_KEY_FILE=/b')).toThrow('has both SECRET_KEY and SECRET_KEY_FILE');
    expect(() => read({ SMTP_URL: 'a', SMTP_URL_FILE: '/b' })).toThrow(
      'The environment has both SMTP_URL and SMTP_URL_FILE',
    );
  });

  test('of a credential of systemd wins over the file, whose secrets are not read then', () => {
    const directory = temporaryDirectory();
    fs.writeFileSync(path.join(directory, 'secret_key'), 'the credential\n');
    fs.writeFileSync(path.join(directory, 'gateway_token'), 'another');
    const environment = { CREDENTIALS_DIRECTORY: directory, GATEWAY_TOKEN: 'mine' };
    expect(read(environment, 'SECRET_KEY_FILE=/nonexistent\nDATABASE_URL=postgres://a')).toEqual({
      SECRET_KEY: ['the credential', 'credential'],
      GATEWAY_TOKEN: ['mine', 'environment'],
      DATABASE_URL: ['postgres://a', 'file'],
    });
    expect(() => read({}, 'SECRET_KEY_FILE=/nonexistent')).toThrow('SECRET_KEY_FILE: /nonexistent does not exist.');
  });

  test('under a misspelt name of the environment is refused, unless the right one is set too', () => {
    expect(() => read({ DATABSE_URL: 'x' })).toThrow('is DATABASE_URL meant?');
    expect(read({ DATABASE_URI: 'x', DATABASE_URL: 'y' })).toEqual({ DATABASE_URL: ['y', 'environment'] });
  });
});

const witness = (environment: NodeJS.ProcessEnv) =>
  completeSettings(readSettings(environment, '/dev/null').settings)['WITNESS_FILE'];

test('the witness is beside the data, unless a setting says otherwise', () => {
  expect(witness({})).toBe('/var/lib/cellhop/witness.json');
  expect(witness({ DATA_DIR: '/srv' })).toBe('/srv/witness.json');
  expect(witness({ DATA_DIR: '/srv', WITNESS_FILE: '/mnt/witness' })).toBe('/mnt/witness');
});

test.each([
  [[], { name: '', values: [], isFromNpm: false }],
  [['--help'], { name: '', values: [], isFromNpm: false }],
  [['payments', 'check', '--env', 'x'], { name: 'payments', values: ['check', '--env', 'x'], isFromNpm: false }],
  [['--env', 'f', 'api'], { name: 'api', values: [], isFromNpm: false, file: 'f' }],
  [['--npm', 'api'], { name: 'api', values: [], isFromNpm: true }],
  [['--env'], { name: '', values: [], isFromNpm: false, problem: '--env needs a file.' }],
  [['--verbose', 'api'], { name: '--verbose', values: ['api'], isFromNpm: false, problem: expect.any(String) }],
])('the arguments %j', (given, parsed) => {
  expect(parseArguments(given)).toEqual(parsed);
});
