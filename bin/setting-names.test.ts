import { expect, test } from 'vitest';
import { loadConfig } from '../api/src/process/config.ts';
import { parseConfig } from '../gateway/src/config.ts';
import { findMisspelt, names } from './setting-names.mjs';

/** What a program reads, with an environment that is empty. */
function namesReadBy(load: (environment: NodeJS.ProcessEnv) => unknown): string[] {
  const read: string[] = [];
  const environment = new Proxy({}, { get: (_, name) => void read.push(String(name)) });
  expect(() => load(environment)).toThrow('GATEWAY_TOKEN');
  return read;
}

test('the names are those that the programs read, and DATA_DIR of the start', () => {
  const read = new Set([...namesReadBy(loadConfig), ...namesReadBy(parseConfig), 'DATA_DIR']);
  expect(new Set(names)).toEqual(read);
  expect(names).toHaveLength(read.size);
});

test.each([
  [{ PAY_BTC_XPUBB: 'xpub' }, ['PAY_BTC_XPUBB is not a setting: is PAY_BTC_XPUB meant?']],
  [{ PAY_ETC_URLS: 'http://127.0.0.1' }, ['PAY_ETC_URLS is not a setting: is PAY_BTC_URLS meant?']],
  [
    { PAY_ETC_URLS: 'http://127.0.0.1', PAY_BTC_URLS: 'set' },
    ['PAY_ETC_URLS is not a setting: is PAY_ETH_URLS meant?'],
  ],
  [{ PAY_BITCOIN_KEY: 'xpub' }, ['PAY_BITCOIN_KEY is not a setting: docs/settings.md lists them.']],
  [
    { SMPT_URL: 'smtp://a', DATABSE_URL: 'b' },
    ['SMPT_URL is not a setting: is SMTP_URL meant?', 'DATABSE_URL is not a setting: is DATABASE_URL meant?'],
  ],
  [{ GATEWAY_HOSTS: 'a' }, ['GATEWAY_HOSTS is not a setting: is GATEWAY_HOST meant?']],
])('%j is told with a suggestion', (environment, sentences) => {
  expect(findMisspelt(environment)).toEqual(sentences);
});

test.each([
  { PAY_BTC_XPUB: 'xpub', PAY_BTC_XPUBB: '' },
  {
    BRANCH_NAME: 'main',
    POST: '1',
    HOSTS: 'a',
    PORTS: '1',
    SHLVL: '1',
    npm_config_loglevel: 'warn',
    XDG_DATA_DIRS: '/usr',
  },
  // Set by a platform beside the one that is read.
  { DATABASE_URL: 'postgres://a', DATABASE_URI: 'postgres://a' },
  { GATEWAY_SERVICE_HOST: '10.0.0.1', GATEWAY_PORT_1080_TCP: 'tcp://10.0.0.1:1080' },
])('%j is of others', (environment) => {
  expect(findMisspelt(environment)).toEqual([]);
});
