import { Address } from '@ton/core';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../process/config.ts';
import { chains } from './currencies.ts';
import { configuredCurrencies, nameOtherToken } from './settings.ts';

const production = {
  DATABASE_URL: 'postgres://localhost/cellhop',
  SECRET_KEY: 'a secret key of at least 32 characters',
  GATEWAY_TOKEN: 'a token of the gateway',
  NODE_ENV: 'production',
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'Cellhop <mail@example.com>',
  PUBLIC_URL: 'https://cellhop.example.com',
  GATEWAY_HOST: 'proxy.example.com',
};
/** An account of the seed phrase `abandon` x 11 + `about`. */
const bitcoin = {
  PAY_BTC_XPUB:
    'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  PAY_BTC_ADDRESS_0: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  PAY_BTC_URLS: 'http://user:password@127.0.0.1:8332',
};
const litecoin = {
  PAY_LTC_XPUB:
    'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE',
  PAY_LTC_ADDRESS_0: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
  PAY_LTC_URLS: 'http://127.0.0.1:9332',
};
const evm = {
  PAY_EVM_XPUB:
    'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  PAY_EVM_ADDRESS_0: '0x9858efFD232B4033E47d90003D41EC34EcaEda94'.toLowerCase(),
};
const tron = {
  PAY_TRON_XPUB:
    'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
  PAY_TRON_ADDRESS_0: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  PAY_TRON_URLS: 'https://api.trongrid.io#TRON-PRO-API-KEY=s3cret-key http://10.0.0.5:8090#solidity=8091&jsonrpc=8545',
};
/** The wallet of the seed 32 x 07. */
const ton = {
  PAY_TON_PUBLIC_KEY: 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
  PAY_TON_ADDRESS_0: 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1w',
  PAY_TON_URLS: 'https://toncenter.com/api/v3#X-API-Key=s3cret-key http://10.0.0.6:8081/api/v2',
};
const nodes = { PAY_ETH_URLS: 'http://127.0.0.1:8545, http://127.0.0.2:8545', PAY_BSC_URLS: 'http://127.0.0.1:8546' };
const load = (settings: Record<string, string>) => loadConfig({ ...production, ...settings }).payments;

describe('a production', () => {
  test.each([
    ['Bitcoin', bitcoin, ['BTC']],
    ['Litecoin', litecoin, ['LTC']],
    ['Ethereum', { ...evm, PAY_ETH_URLS: nodes.PAY_ETH_URLS }, ['ETH', 'USDT_ERC20']],
    ['BSC', { ...evm, PAY_BSC_URLS: nodes.PAY_BSC_URLS }, ['USDT_BSC']],
    ['TRON', tron, ['TRX', 'USDT_TRC20']],
    ['TON', ton, ['TON', 'USDT_TON']],
    ['most of them', { ...bitcoin, ...litecoin, ...evm, ...nodes }, ['BTC', 'ETH', 'LTC', 'USDT_ERC20', 'USDT_BSC']],
  ])('starts with %s', (_, settings, currencies) => {
    expect(configuredCurrencies(load(settings))).toEqual(currencies);
  });

  test.each(['PAY_BTC_XPUB', 'PAY_BTC_ADDRESS_0', 'PAY_BTC_URLS'])(
    'does not start without %s, and names it',
    (name) => {
      expect(() => load({ ...bitcoin, [name]: '' })).toThrow(name);
    },
  );

  test('reads the addresses that pay for sweeps', () => {
    const [first, second] = [
      '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
      '0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0',
    ];
    expect(load(bitcoin).fundingAddresses).toEqual({ evm: [], tron: [], ton: [] });
    const PAY_EVM_FUNDING = `${first}, ${second}`;
    expect(load({ ...bitcoin, PAY_EVM_FUNDING }).fundingAddresses.evm).toEqual([first, second]);
    const PAY_TRON_FUNDING = tron.PAY_TRON_ADDRESS_0;
    expect(load({ ...bitcoin, PAY_TRON_FUNDING }).fundingAddresses.tron).toEqual([PAY_TRON_FUNDING]);
  });

  test.each([
    ['PAY_EVM_FUNDING', 'my wallet', '40 hexadecimal digits'],
    ['PAY_EVM_FUNDING', '0x9858EfFD232B4033E47d90003D41EC34EcaEda95', 'wrong checksum'],
    ['PAY_EVM_FUNDING', '0x9858effd232b4033e47d90003d41ec34ecaeda94', 'capital letters'],
    ['PAY_USDT_ERC20_CONTRACT', '0xdAC17F958D2ee523a2206206994597C13D831ec8', 'wrong checksum'],
    ['PAY_USDT_BSC_CONTRACT', '0x12', '40 hexadecimal digits'],
    ['PAY_TRON_FUNDING', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdh', 'begins with T'],
    ['PAY_USDT_TRC20_CONTRACT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', 'begins with T'],
    ['PAY_TON_FUNDING', 'UQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinP1W', 'begins with EQ or UQ'],
    ['PAY_USDT_TON_MASTER', 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDS', 'begins with EQ or UQ'],
    ['PAY_USDT_TON_WALLET_CODE', '8f45', '64 hexadecimal digits'],
    ['PAY_USDT_TRC20_CONTRACT', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'begins with T'],
  ])('does not start with a mistyped %s: %s', (name, value, message) => {
    expect(() => load({ ...bitcoin, [name]: value })).toThrow(new RegExp(`${name}.*${message}`));
  });

  test('takes a contract without capital letters, whose code is looked up later', () => {
    const address = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const { usdtContracts } = load({ ...bitcoin, PAY_USDT_ERC20_CONTRACT: address.toLowerCase() });
    expect(usdtContracts.ethereum).toBe(address);
  });

  test.each([
    ['one', 'https://api.trongrid.io'],
    ['the same twice', 'https://api.trongrid.io#TRON-PRO-API-KEY=1 https://api.trongrid.io#TRON-PRO-API-KEY=2'],
    ['the same with a dot at its end', 'https://api.trongrid.io https://api.trongrid.io.'],
  ])('does not start with a single node of TRON: %s', (_, urls) => {
    expect(() => load({ ...tron, PAY_TRON_URLS: urls })).toThrow(/PAY_TRON_URLS.*two independent nodes/);
  });

  test.each([
    ['one', 'https://toncenter.com/api/v3', 'two independent sources'],
    ['both of one host', 'https://toncenter.com/api/v3 https://toncenter.com/api/v2', 'two independent sources'],
    ['none with an index', 'http://10.0.0.6/api/v2 http://10.0.0.7/api/v2', 'version 3'],
  ])('does not start with too little about TON: %s', (_, urls, message) => {
    expect(() => load({ ...ton, PAY_TON_URLS: urls })).toThrow(new RegExp(`PAY_TON_URLS.*${message}`));
  });

  test('names a token that is not the usual one, with any decimals', () => {
    const other = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
    const settings = load({ ...bitcoin, PAY_USDT_BSC_CONTRACT: other, PAY_USDT_TON_MASTER: ton.PAY_TON_ADDRESS_0 });
    expect(chains.filter((chain) => nameOtherToken(settings, chain).length > 0)).toEqual(['bsc', 'ton']);
    expect(nameOtherToken(settings, 'bsc')).toEqual([
      `payments in ${other} are credited as USDT, whose usual contract is 0x55d398326f99059fF775485246999027B3197955`,
    ]);
  });

  test('takes a public key of TON in base64, and its address in every written form', () => {
    const PAY_TON_PUBLIC_KEY = Buffer.from(ton.PAY_TON_PUBLIC_KEY, 'hex').toString('base64');
    for (const PAY_TON_ADDRESS_0 of [
      'EQAqbua3_0G_7K_jgzhjJceolfT-TONGsY65wUoBUtZinKC1',
      '0:2a6ee6b7ff41bfecafe383386325c7a895f4fe4ce346b18eb9c14a0152d6629c',
    ])
      expect(load({ ...ton, PAY_TON_PUBLIC_KEY, PAY_TON_ADDRESS_0 }).accounts.ton).toMatchObject({ kind: 'ED25519' });
  });

  test('does not start with a private key of TON, which may look like a public one', () => {
    const seed = '07'.repeat(32);
    expect(() => load({ ...ton, PAY_TON_PUBLIC_KEY: seed })).toThrow(/PAY_TON_PUBLIC_KEY is no public key.*or private/);
    // A seed of RFC 8032 that is a point of the curve, so that only the address tells it from a public key.
    const other = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
    const withOther = { ...ton, PAY_TON_PUBLIC_KEY: other };
    expect(() => load(withOther)).toThrow(
      /PAY_TON_ADDRESS_0 is UQAqbua.*either not of this wallet.*or a private key: then consider it as known to others/,
    );
    for (const settings of [withOther, { ...withOther, PAY_TON_ADDRESS_0: '' }])
      expect(() => load(settings)).not.toThrow(other);
    expect(() => load({ ...withOther, PAY_TON_ADDRESS_0: '' })).toThrow(/copy the address.*v4R2$/);
  });

  test.each([
    ['0Q', false],
    ['kQ', true],
  ])('says that an address of TON is of a test network if it begins with %s', (prefix, bounceable) => {
    const PAY_TON_ADDRESS_0 = Address.parse(ton.PAY_TON_ADDRESS_0).toString({ testOnly: true, bounceable });
    expect(PAY_TON_ADDRESS_0.slice(0, 2)).toBe(prefix);
    expect(() => load({ ...ton, PAY_TON_ADDRESS_0 })).toThrow(
      /the form of an address for test networks: switch the wallet/,
    );
    expect(() => load({ ...ton, PAY_TON_ADDRESS_0 })).not.toThrow(/private/);
  });

  test('does not start if the pasted address belongs to another account', () => {
    expect(() => load({ ...bitcoin, PAY_BTC_ADDRESS_0: 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g' })).toThrow(
      /PAY_BTC_ADDRESS_0 is bc1qnjg.*not the first address of PAY_BTC_XPUB/,
    );
    // Whoever copied it from here would compare the key with itself.
    for (const PAY_BTC_ADDRESS_0 of ['bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g', ''])
      expect(() => load({ ...bitcoin, PAY_BTC_ADDRESS_0 })).not.toThrow(bitcoin.PAY_BTC_ADDRESS_0);
  });

  test('does not start with a private key, and does not repeat it', () => {
    const key = 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn';
    expect(() => load({ ...bitcoin, PAY_BTC_XPUB: key })).toThrow(/^PAY_BTC_XPUB is private/);
    expect(() => load({ ...bitcoin, PAY_BTC_XPUB: key })).not.toThrow(key);
  });
});

test('keys of providers follow a #, and no message repeats them', () => {
  const url = 'https://eth.example.com#X-Key=s3cret-key&Authorization=Bearer%201';
  expect(load({ ...evm, PAY_ETH_URLS: url }).urls.ethereum).toEqual([url]);
  for (const name of ['PAY_ETH_URLS', 'PAY_TRON_URLS']) {
    const faulty = { ...evm, [name]: 'https://eth.example.com#s3cret-key' };
    expect(() => load(faulty)).toThrow(new RegExp(`${name}.*NAME=VALUE`));
    expect(() => load(faulty)).not.toThrow('s3cret-key');
  }
});

test('settings of payments are checked', () => {
  expect(load({ ...bitcoin, PAY_MINIMUMS_USD: 'BTC=10, ETH=20.5' }).minimumMicros).toEqual({
    BTC: 10_000_000n,
    ETH: 20_500_000n,
  });
  expect(load({ ...bitcoin, PAY_HOLD_USD: '5000' }).holdAboveMicros).toBe(5_000_000_000n);
  for (const [name, value] of [
    ['PAY_MINIMUMS_USD', 'BTC'],
    ['PAY_MINIMUMS_USD', 'DOGE=5'],
    ['PAY_HOLD_USD', '-1'],
    ['PAY_BTC_URLS', 'tcp://127.0.0.1:8332'],
    ['RATES_KRAKEN_URL', 'kraken'],
    ['RATES_KRAKEN_URL', 'https://me:password@rates.example.com'],
    ['RATES_IDS', 'binance.GRAM=GRAMUSDT'],
  ] as const)
    expect(() => load({ ...bitcoin, [name]: value })).toThrow(name);
});

test('a source of rates can be replaced or turned off; one that needs a key is off without it', () => {
  const { rateUrls } = load({ ...bitcoin, RATES_KRAKEN_URL: 'http://127.0.0.1:1', RATES_BINANCE_URL: 'off' });
  expect(rateUrls).toEqual({
    kraken: 'http://127.0.0.1:1',
    okx: 'https://www.okx.com',
    bybit: 'https://api.bybit.com',
    coinbase: 'https://api.exchange.coinbase.com',
    coinpaprika: 'https://api.coinpaprika.com',
  });
  expect(load({ ...bitcoin, RATES_COINGECKO_KEY: 'key' }).rateUrls.coingecko).toBe('https://api.coingecko.com');
});

test('no key of a source of rates goes over http to a public host', () => {
  for (const faulty of [
    { RATES_COINGECKO_URL: 'http://rates.example.com', RATES_COINGECKO_KEY: 's3cret-key' },
    { RATES_KRAKEN_URL: 'http://203.0.113.7/s3cret-key-of-mine' },
    { RATES_OKX_URL: 'http://rates.example.com/?token=s3cret-key-of-mine' },
  ]) {
    expect(() => load({ ...bitcoin, ...faulty })).toThrow(`${Object.keys(faulty)[0]} must have https`);
    expect(() => load({ ...bitcoin, ...faulty })).not.toThrow('s3cret-key');
  }
  const urls = { RATES_COINGECKO_URL: 'http://10.0.0.7:8080/mirror', RATES_KRAKEN_URL: 'http://rates.example.com' };
  expect(load({ ...bitcoin, ...urls, RATES_COINGECKO_KEY: 'key' }).rateUrls).toMatchObject({
    coingecko: urls.RATES_COINGECKO_URL,
    kraken: urls.RATES_KRAKEN_URL,
  });
});

test('the name of a coin at a source can be replaced', () => {
  const { rateIds } = load({ ...bitcoin, RATES_IDS: 'binance.TON=TONUSDT, kraken.TON=off' });
  expect([rateIds.binance.TON, rateIds.kraken.TON, rateIds.okx.TON]).toEqual(['TONUSDT', undefined, 'GRAM-USDT']);
});
