/** The settings of payments: keys of accounts, nodes and rules. docs/payments.md explains them to the operator. */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { toMicros } from '@cellhop/contract/units';
import { z } from 'zod';
import { type InvalidSourceUrl, parseSourceUrl } from './chains/source-url.ts';
import { type Jetton, USDT as USDT_ON_TON } from './chains/ton/jetton.ts';
import { hasIndex } from './chains/ton/toncenter-version.ts';
import { type AddressSpace, currencyRules, type Chain, type TokenChain } from './currencies.ts';
import { InvalidAccountKey, parseAccountKey, type AccountKey } from './derive/account-key.ts';
import { deriveAddress, isSameAddress, parseAddress, toChecksumAddress } from './derive/addresses.ts';
import { parseWalletKey } from './derive/wallet-key.ts';
import { readRateIds, type RateIds, type RateSourceName } from './rates/ids.ts';
import { rateSourceUrls } from './rates/sources.ts';

export interface PaymentSettings {
  /** The operator's accounts. */
  accounts: Partial<Record<AddressSpace, AccountKey>>;
  /** URLs of nodes with their secrets, the preferred ones first. A chain without URLs is not watched. */
  urls: Partial<Record<Chain, readonly string[]>>;
  usdtContracts: Record<TokenChain, string>;
  usdtOnTon: Jetton;
  /** The operator's own addresses: their transactions are not payments. */
  fundingAddresses: Record<'evm' | 'tron' | 'ton', readonly string[]>;
  /** Undefined: no credit is put on hold because of its size. */
  holdAboveMicros: bigint | undefined;
  /** How long an address is watched at the pace of its chain after the end of its last invoice. */
  watchMs: number;
  /** Above the minimum of all currencies. */
  minimumMicros: Partial<Record<Currency, bigint>>;
  /** Base URLs; a source without one is not queried. */
  rateUrls: Partial<Record<RateSourceName, string>>;
  /** By which name each source knows each coin. */
  rateIds: RateIds;
  coingeckoKey: string | undefined;
}

const DAY_MS = 86_400_000;
const URLS_MAX = 8;
const FUNDING_ADDRESSES_MAX = 20;
/** On TRON and TON. */
const SOURCES_MIN = 2;

/** Separated by commas or spaces. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''));
const url = z.string().superRefine((text, context) => {
  try {
    parseSourceUrl(text);
  } catch (error) {
    // Later checks of the list parse the URL again.
    context.addIssue({ code: 'custom', message: (error as InvalidSourceUrl).message, continue: false });
  }
});
const urls = list.pipe(z.array(url).max(URLS_MAX));
const WRONG_CHECKSUM = 'has a wrong checksum: copy it with its capital letters, as wallets and explorers show it';
const hexAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address of 40 hexadecimal digits');
/** Without its capital letters, nothing would find a mistyped digit. */
const evmAddress = hexAddress.refine((text) => toChecksumAddress(text) === text, WRONG_CHECKSUM);
/** Without capital letters, a mistyped digit is found when the contract is read. */
const evmContract = hexAddress
  .refine((text) => parseAddress('evm', text) !== undefined, WRONG_CHECKSUM)
  .transform(toChecksumAddress);
const tronAddress = z
  .string()
  .refine(
    (text) => parseAddress('tron', text) !== undefined,
    'must be an address of TRON that begins with T; check each letter',
  );
const tonAddress = z
  .string()
  .refine(
    (text) => parseAddress('ton', text) !== undefined,
    'must be an address of TON that begins with EQ or UQ; check each letter',
  );
const text = z.string().default('');

const countHosts = (urls: readonly string[]) => new Set(urls.map((url) => parseSourceUrl(url).name)).size;

/** Each as `BTC=10, ETH=20`, in dollars. */
const minimums = list
  .pipe(z.array(z.templateLiteral([z.enum(currencies), '=', z.number().positive().max(1000)])))
  .transform((parts) =>
    Object.fromEntries(
      parts.map((part) => {
        const [currency, dollars] = part.split('=') as [Currency, string];
        return [currency, toMicros(Number(dollars))];
      }),
    ),
  );

export const paymentEnvironment = {
  PAY_BTC_XPUB: text,
  PAY_BTC_ADDRESS_0: text,
  PAY_BTC_URLS: urls,
  PAY_LTC_XPUB: text,
  PAY_LTC_ADDRESS_0: text,
  PAY_LTC_URLS: urls,
  PAY_EVM_XPUB: text,
  PAY_EVM_ADDRESS_0: text,
  PAY_ETH_URLS: urls,
  PAY_BSC_URLS: urls,
  PAY_TRON_XPUB: text,
  PAY_TRON_ADDRESS_0: text,
  PAY_TRON_URLS: urls.refine(
    (urls) => urls.length === 0 || countHosts(urls) >= SOURCES_MIN,
    'needs at least two independent nodes, because what a single one says about tokens on TRON cannot be proven',
  ),
  PAY_TON_PUBLIC_KEY: text,
  PAY_TON_ADDRESS_0: text,
  PAY_TON_URLS: urls
    .refine(
      (urls) => urls.length === 0 || countHosts(urls) >= SOURCES_MIN,
      'needs at least two independent sources, because what a single one says about TON cannot be proven',
    )
    .refine(
      (urls) => urls.length === 0 || urls.some(hasIndex),
      'needs a source of version 3, whose index finds payments: its address ends with /api/v3',
    ),
  PAY_USDT_ERC20_CONTRACT: evmContract.default('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  PAY_USDT_BSC_CONTRACT: evmContract.default('0x55d398326f99059fF775485246999027B3197955'),
  PAY_USDT_TRC20_CONTRACT: tronAddress.default('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'),
  PAY_USDT_TON_MASTER: tonAddress.default(USDT_ON_TON.master),
  PAY_USDT_TON_WALLET_CODE: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be the hash of the code of wallets, 64 hexadecimal digits')
    .default(USDT_ON_TON.walletCode),
  PAY_EVM_FUNDING: list.pipe(z.array(evmAddress).max(FUNDING_ADDRESSES_MAX)),
  PAY_TRON_FUNDING: list.pipe(z.array(tronAddress).max(FUNDING_ADDRESSES_MAX)),
  PAY_TON_FUNDING: list.pipe(z.array(tonAddress).max(FUNDING_ADDRESSES_MAX)),
  PAY_HOLD_USD: z.union([z.literal(''), z.coerce.number().positive()]).default(''),
  PAY_WATCH_DAYS: z.coerce.number().int().min(1).max(90).default(7),
  PAY_MINIMUMS_USD: minimums,
  RATES_KRAKEN_URL: text,
  RATES_BINANCE_URL: text,
  RATES_OKX_URL: text,
  RATES_BYBIT_URL: text,
  RATES_COINBASE_URL: text,
  RATES_COINGECKO_URL: text,
  RATES_COINGECKO_KEY: text,
  RATES_COINPAPRIKA_URL: text,
  RATES_IDS: list,
};
const environmentSchema = z.object(paymentEnvironment);
type Environment = z.output<typeof environmentSchema>;

/** The accounts that can be set: what the names of their settings begin with, and the setting of their key. */
const accountNames = [
  ['btc', 'PAY_BTC', 'PAY_BTC_XPUB'],
  ['ltc', 'PAY_LTC', 'PAY_LTC_XPUB'],
  ['evm', 'PAY_EVM', 'PAY_EVM_XPUB'],
  ['tron', 'PAY_TRON', 'PAY_TRON_XPUB'],
  ['ton', 'PAY_TON', 'PAY_TON_PUBLIC_KEY'],
] as const;

/** @throws Error with a sentence for the operator */
export function readPaymentSettings(environment: Environment): PaymentSettings {
  return {
    accounts: readAccounts(environment),
    urls: readUrls(environment),
    usdtContracts: {
      ethereum: environment.PAY_USDT_ERC20_CONTRACT,
      bsc: environment.PAY_USDT_BSC_CONTRACT,
      tron: environment.PAY_USDT_TRC20_CONTRACT,
    },
    usdtOnTon: {
      master: environment.PAY_USDT_TON_MASTER,
      walletCode: environment.PAY_USDT_TON_WALLET_CODE.toLowerCase(),
    },
    fundingAddresses: {
      evm: environment.PAY_EVM_FUNDING,
      tron: environment.PAY_TRON_FUNDING,
      ton: environment.PAY_TON_FUNDING,
    },
    holdAboveMicros: environment.PAY_HOLD_USD === '' ? undefined : toMicros(environment.PAY_HOLD_USD),
    watchMs: environment.PAY_WATCH_DAYS * DAY_MS,
    minimumMicros: environment.PAY_MINIMUMS_USD,
    rateUrls: rateSourceUrls(
      {
        kraken: environment.RATES_KRAKEN_URL,
        binance: environment.RATES_BINANCE_URL,
        okx: environment.RATES_OKX_URL,
        bybit: environment.RATES_BYBIT_URL,
        coinbase: environment.RATES_COINBASE_URL,
        coingecko: environment.RATES_COINGECKO_URL,
        coinpaprika: environment.RATES_COINPAPRIKA_URL,
      },
      environment.RATES_COINGECKO_KEY !== '',
    ),
    rateIds: readRateIds(environment.RATES_IDS),
    coingeckoKey: environment.RATES_COINGECKO_KEY || undefined,
  };
}

/** Currencies whose account and nodes are set. */
export function configuredCurrencies({ accounts, urls }: PaymentSettings): Currency[] {
  return currencies.filter((currency) => {
    const { chain, addressSpace } = currencyRules[currency];
    return urls[chain] !== undefined && addressSpace in accounts;
  });
}

/**
 * For production, which has no sandbox.
 * @throws Error with the missing settings, unless at least one currency is complete
 */
export function requireCurrency(settings: PaymentSettings): void {
  if (configuredCurrencies(settings).length > 0) return;
  const missing = [
    'PAY_BTC_XPUB, PAY_BTC_ADDRESS_0 and PAY_BTC_URLS for Bitcoin',
    'PAY_LTC_XPUB, PAY_LTC_ADDRESS_0 and PAY_LTC_URLS for Litecoin',
    'PAY_EVM_XPUB, PAY_EVM_ADDRESS_0 and PAY_ETH_URLS or PAY_BSC_URLS for Ethereum or BSC',
    'PAY_TRON_XPUB, PAY_TRON_ADDRESS_0 and PAY_TRON_URLS for TRON',
    'PAY_TON_PUBLIC_KEY, PAY_TON_ADDRESS_0 and PAY_TON_URLS for TON',
  ];
  throw new Error(
    `No payment currency is set up, and production refuses the sandbox. Set ${missing.join('; or ')} (docs/payments.md)`,
  );
}

function readAccounts(environment: Environment): PaymentSettings['accounts'] {
  const accounts: PaymentSettings['accounts'] = {};
  for (const [space, name, keyName] of accountNames) {
    const key = environment[keyName];
    const address = environment[`${name}_ADDRESS_0`].trim();
    if (key === '' && address === '') continue;
    if (key === '') throw new Error(`${keyName} is not set, but ${name}_ADDRESS_0 is`);
    const account = parseOrExplain(keyName, key);
    requireFirstAddress({ space, name, keyName }, account, address);
    accounts[space] = account;
  }
  return accounts;
}

interface AccountNames {
  space: AddressSpace;
  name: string;
  keyName: string;
}

/** The address proves that the key belongs to the account of the wallet; of a key of TON, also that it is public. */
function requireFirstAddress({ space, name, keyName }: AccountNames, account: AccountKey, address: string): void {
  const derived = deriveAddress(space, account, 0n);
  if (address === '')
    // The address of a private key that was taken for a public one must come from the wallet, or nothing would find the mistake.
    throw new Error(
      space === 'ton'
        ? `${name}_ADDRESS_0 is not set: copy the address that your wallet shows for its version v4R2`
        : `${name}_ADDRESS_0 is not set: copy the first receiving address from your wallet; this key has ${derived}`,
    );
  if (isSameAddress(space, derived, address)) return;
  const advice =
    space === 'ton'
      ? 'the key is either not of this wallet (v4R2), or a private key: then consider it as known to others'
      : 'check that both are of the same account';
  throw new Error(`${name}_ADDRESS_0 is ${address}, but the first address of ${keyName} is ${derived}: ${advice}`);
}

function parseOrExplain(name: string, key: string): AccountKey {
  try {
    return name === 'PAY_TON_PUBLIC_KEY' ? parseWalletKey(key) : parseAccountKey(key);
  } catch (error) {
    if (error instanceof InvalidAccountKey) throw new Error(`${name} ${error.message}`, { cause: error });
    throw error;
  }
}

function readUrls(environment: Environment): PaymentSettings['urls'] {
  const all = {
    bitcoin: environment.PAY_BTC_URLS,
    litecoin: environment.PAY_LTC_URLS,
    ethereum: environment.PAY_ETH_URLS,
    bsc: environment.PAY_BSC_URLS,
    tron: environment.PAY_TRON_URLS,
    ton: environment.PAY_TON_URLS,
  };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => each.length > 0));
}
