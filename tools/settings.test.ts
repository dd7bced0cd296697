import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadOrCreateSecrets, readSettings, requireNames } from './settings.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

describe('secrets', () => {
  it('keeps the secrets it created, in a file that only its owner can read', () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const secrets = loadOrCreateSecrets(dataDir);
    expect(secrets.SECRET_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.GATEWAY_TOKEN).not.toBe(secrets.SECRET_KEY);
    expect(loadOrCreateSecrets(dataDir)).toEqual(secrets);
    expect(fs.statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('creates different secrets for another checkout', () => {
    expect(loadOrCreateSecrets(temporaryDirectory())).not.toEqual(loadOrCreateSecrets(temporaryDirectory()));
  });

  it('does not replace a damaged file, which would lose the old key', () => {
    const dataDir = temporaryDirectory();
    fs.writeFileSync(path.join(dataDir, 'secrets.json'), '{"SECRET_KEY":');
    expect(() => loadOrCreateSecrets(dataDir)).toThrow('is damaged');
  });
});

it('passes an empty APPROVAL_USD on, which is not the default, and no other empty value', async () => {
  const { env } = await readSettings({ DATA_DIR: temporaryDirectory(), APPROVAL_USD: '', BRAND_NAME: '' }, ['worker']);
  expect(env).toMatchObject({ APPROVAL_USD: '' });
  expect(env).not.toHaveProperty('BRAND_NAME');
});

describe('names of settings', () => {
  const production = { NODE_ENV: 'production' };
  const worker = 'DATABASE_URL, SECRET_KEY, GATEWAY_TOKEN, SMTP_URL, MAIL_FROM, PUBLIC_URL, GATEWAY_HOST';

  it.each([
    [['start'], `${worker}, GATEWAY_NAME_SERVERS:`],
    [['start', 'gateway'], 'needs GATEWAY_TOKEN, GATEWAY_HOST, GATEWAY_CONTROL_URL, GATEWAY_NAME_SERVERS:'],
    [['payments', 'check'], `needs ${worker}:`],
  ])('that %j lacks in production are told at once, with those that are misspelt', (values, text) => {
    const expected = expect.objectContaining({
      exitCode: 78,
      message: expect.stringMatching(new RegExp(`${text} .*\nPAY_BTC_XPUBB is not a setting`)),
    });
    expect(() => requireNames({ ...production, PAY_BTC_XPUBB: 'xpub' }, values)).toThrow(expected);
  });

  it.each([[[]], [['test']], [['test:slow']], [['payments', '--help']], [['start', 'nothing']]])(
    '%j needs none',
    (values) => {
      expect(() => requireNames(production, values)).not.toThrow();
    },
  );

  it('development needs none', () => {
    expect(() => requireNames({}, ['start'])).not.toThrow();
  });
});
