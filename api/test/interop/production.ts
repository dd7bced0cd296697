/** The whole product in production mode with all chains on this machine, set up as operators do it: with public keys only. */
import { type Call, createClient } from '@cellhop/contract/client';
import { signIn, signUp } from '@cellhop/contract/auth';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startMailSink, listMails } from '../../src/dev/mail-sink.ts';
import { toChecksumAddress } from '../../src/payments/derive/evm-address.ts';
import { createLog } from '../../src/process/log.ts';
import { freePort } from '../../../tools/ports.mjs';
import { startPostgres } from '../../../tools/pg.mjs';
import { startProduct } from '../../../tools/product.mjs';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { waitFor } from '../chains/local-node.ts';
import { serveLocally } from '../chains/local-server.ts';
import { USDT } from '../holdings.ts';
import { answerOf, offerAt } from '../rate-answers.ts';
import { type MovingCoins, startMovingCoins } from './moving-coins.ts';
import { type MovingEvm, startMovingEvm } from './moving-evm.ts';
import { type MovingTon, startMovingTon } from './moving-ton.ts';
import { type MovingTron, startMovingTron } from './moving-tron.ts';

/** The EVM account of the seed phrase `abandon` x 11 + `about`. */
export const ACCOUNT = {
  key: 'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  firstAddress: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
};
export const PASSWORD = 'a long enough password';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND_LIMIT_MS = 120_000;
const MAIL_LIMIT_MS = 30_000;

export interface Production {
  ethereum: MovingEvm;
  bsc: MovingEvm;
  coins: MovingCoins;
  tron: MovingTron;
  ton: MovingTon;
  /** The address from which the operator pays the gas of sweeps. */
  fundingAddress: string;
  url: string;
  databaseUrl: string;
  /** `npm run NAME -- VALUES`. @returns its standard output; rejects if it fails */
  run: (name: 'create-admin' | 'catalogue' | 'payments', ...values: string[]) => Promise<string>;
  stop: () => Promise<void>;
}

/** @param overrides settings of the operator */
export async function startProduction(overrides: Record<string, string> = {}): Promise<Production> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  try {
    const chains = await startChains(cleanUps);
    const { ethereum, bsc, coins, tron, ton } = chains;
    const [, fundingAddress] = await ethereum.rpc<[string, string]>('eth_accounts');
    const rates = await startRates();
    cleanUps.push(rates.stop);
    const mailSink = await startMailSink(0, createLog('mail sink', 'silent', false));
    assert(mailSink);
    cleanUps.push(() => mailSink.stop());
    const server = await startPostgres({ dataDir: path.join(root, '.data/pg-interop'), durable: false });
    cleanUps.push(server.stop);
    const database = await cloneDatabase(server.url, 'template1');
    cleanUps.push(database.drop);
    const settings = {
      ...(await productionSettings()),
      DATABASE_URL: database.url,
      SMTP_URL: `smtp://127.0.0.1:${mailSink.port}`,
      PAY_ETH_URLS: ethereum.url,
      PAY_BSC_URLS: bsc.url,
      PAY_EVM_FUNDING: toChecksumAddress(fundingAddress),
      ...coins.settings,
      ...tron.settings,
      ...ton.settings,
      ...rates.settings,
      ...overrides,
    };
    const logFile = path.join(root, '.data/interop/production.log');
    fs.mkdirSync(path.dirname(logFile), { recursive: true });
    fs.rmSync(logFile, { force: true });
    const product = await startProduct({ databaseUrl: database.url, env: settings, logFile });
    cleanUps.push(product.stop);
    const run: Production['run'] = async (name, ...values) => {
      const { PATH, HOME } = process.env;
      const options = { cwd: root, env: { PATH, HOME, ...settings }, timeout: COMMAND_LIMIT_MS };
      return (await promisify(execFile)('npm', ['run', '--silent', name, '--', ...values], options)).stdout;
    };
    return { ...chains, fundingAddress, url: product.url, databaseUrl: database.url, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Those that were started end even if another one could not. */
async function startChains(cleanUps: (() => Promise<unknown>)[]) {
  const start = async <T extends { end: () => Promise<unknown> }>(started: Promise<T>): Promise<T> => {
    const chain = await started;
    cleanUps.push(chain.end);
    return chain;
  };
  const [ethereum, bsc, coins, tron, ton] = await Promise.all([
    start(startMovingEvm('ethereum', USDT.ethereum)),
    start(startMovingEvm('bsc', USDT.bsc)),
    start(startMovingCoins()),
    start(startMovingTron()),
    start(startMovingTon()),
  ]);
  return { ethereum, bsc, coins, tron, ton };
}

/** The settings that docs/payments.md and docs/settings.md require in production. */
async function productionSettings() {
  const port = String(await freePort());
  return {
    NODE_ENV: 'production',
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: path.join(root, '.data/interop'),
    SECRET_KEY: randomBytes(32).toString('hex'),
    GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(await freePort()),
    // The destination of the test is on this machine, and no customer's download has to finish.
    GATEWAY_ALLOW_PRIVATE: 'true',
    GATEWAY_DRAIN_SECONDS: '1',
    GATEWAY_NAME_SERVERS: '127.0.0.1',
    MAIL_FROM: 'Cellhop <no-reply@example.com>',
    PAY_EVM_XPUB: ACCOUNT.key,
    PAY_EVM_ADDRESS_0: ACCOUNT.firstAddress,
    LOG_LEVEL: 'info',
  };
}

/** A local server with the responses of Kraken, OKX and Coinbase. */
async function startRates() {
  const { url: origin, close: stop } = await serveLocally((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const source = (['kraken', 'okx'] as const).find((one) => url.pathname.startsWith(`/${one}/`)) ?? 'coinbase';
    const { status, body } = answerOf(source, url, (id) => {
      const price = PRICES[id];
      return price === undefined ? undefined : offerAt(price);
    });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return {
    settings: {
      RATES_KRAKEN_URL: `${origin}/kraken`,
      RATES_COINBASE_URL: `${origin}/coinbase`,
      RATES_BINANCE_URL: 'off',
      RATES_OKX_URL: `${origin}/okx`,
      RATES_BYBIT_URL: 'off',
      RATES_COINPAPRIKA_URL: 'off',
    },
    stop,
  };
}

/** By the ids of Kraken, OKX and Coinbase. */
const PRICES: Record<string, number> = {
  XBTUSD: 100_000,
  'BTC-USD': 100_000,
  ETHUSD: 4000,
  'ETH-USD': 4000,
  LTCUSD: 100,
  'LTC-USD': 100,
  TRXUSD: 0.25,
  'TRX-USDT': 0.25,
  GRAMUSD: 2.5,
  'GRAM-USD': 2.5,
  USDTUSD: 1.0001,
  'USDT-USD': 1.0001,
};

/** Signs up with a referral code, and confirms the address by the link of the mail. */
export async function createCustomer({ url }: Production, email: string, referralCode: string): Promise<Call> {
  const body = { languageCode: 'en' as const, email, password: PASSWORD, referralCode };
  await createClient({ baseUrl: url })(signUp, { body });
  const link = await waitFor(`a mail to ${email}`, MAIL_LIMIT_MS, async () => {
    const mail = listMails().find(({ to }) => to === email);
    assert(mail?.links[0], 'no mail yet');
    return mail.links[0];
  });
  const { href, searchParams } = new URL(link);
  assert((await fetch(href.split('?')[0]!, { method: 'POST', body: searchParams })).ok);
  return signInAs(url, email, PASSWORD);
}

export async function signInAs(baseUrl: string, email: string, password: string): Promise<Call> {
  const { data } = await createClient({ baseUrl })(signIn, { body: { email, password } });
  return createClient({ baseUrl, headers: () => ({ authorization: `Bearer ${data.accessToken}` }) });
}
