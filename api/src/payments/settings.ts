/** The settings of payments: keys of accounts, nodes and rules. docs/payments.md explains them to the operator. */
import { type Environment, orProblem } from '@cellhop/contract/environment';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { toMicros } from '@cellhop/contract/units';
import { z } from 'zod';
import { parseSourceUrl } from './chains/source-url.ts';
import { type Jetton, USDT as USDT_ON_TON } from './chains/ton/jetton.ts';
import { hasIndex } from './chains/ton/toncenter-version.ts';
import { USDT_ADDRESS as USDT_ON_TRON } from './chains/tron/network.ts';
import { type AddressSpace, currencyRules, type Chain, type TokenChain } from './currencies.ts';
import { InvalidAccountKey, parseAccountKey, type AccountKey } from './derive/account-key.ts';
import { deriveAddress, isSameAddress, parseAddress, toChecksumAddress } from './derive/addresses.ts';
import { isTestForm } from './derive/ton-address.ts';
import { parseWalletKey } from './derive/wallet-key.ts';
import { rateSourceNames, readRateIds, type RateSourceName } from './rates/ids.ts';
import { rateSources } from './rates/sources.ts';

export type PaymentSettings = ReturnType<typeof readPaymentSettings>;

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
const url = z.string().transform(
  orProblem((text) => {
    parseSourceUrl(text);
    return text;
  }),
);
const urls = list.pipe(z.array(url).max(URLS_MAX));
const urlsOfTwo = (message: string) =>
  urls.refine((urls) => urls.length === 0 || countHosts(urls) >= SOURCES_MIN, message);
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
const walletCode = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be the hash of the code of wallets, 64 hexadecimal digits')
  .toLowerCase();

/** Tether's, and on BSC that of Binance. */
const usualTokens = {
  ethereum: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  bsc: '0x55d398326f99059fF775485246999027B3197955',
  tron: USDT_ON_TRON,
  ton: USDT_ON_TON.master,
} as const;

const countHosts = (urls: readonly string[]) => new Set(urls.map((url) => parseSourceUrl(url).name)).size;

/** Each as `BTC=10, ETH=20`, in dollars. */
const minimums = list
  .pipe(z.array(z.templateLiteral([z.enum(currencies), '=', z.number().positive().max(1000)])))
  .transform(
    orProblem((parts): Partial<Record<Currency, bigint>> =>
      Object.fromEntries(
        parts.map((part) => {
          const [currency, dollars] = part.split('=') as [Currency, string];
          return [currency, toMicros(Number(dollars))];
        }),
      ),
    ),
  );

/** @param isDevelopment has the sandbox, so that no currency is needed */
export function readPaymentSettings(environment: Environment & { isDevelopment: boolean }) {
  const { read, problems, isDevelopment } = environment;
  const problemsBefore = problems.length;
  const coingeckoKey = read('RATES_COINGECKO_KEY', z.string().optional());
  const settings = {
    /** The operator's accounts. */
    accounts: readAccounts(environment),
    urls: readUrls(environment),
    usdtContracts: {
      ethereum: read('PAY_USDT_ERC20_CONTRACT', evmContract.default(usualTokens.ethereum)),
      bsc: read('PAY_USDT_BSC_CONTRACT', evmContract.default(usualTokens.bsc)),
      tron: read('PAY_USDT_TRC20_CONTRACT', tronAddress.default(usualTokens.tron)),
    } satisfies Record<TokenChain, string>,
    usdtOnTon: {
      master: read('PAY_USDT_TON_MASTER', tonAddress.default(usualTokens.ton)),
      walletCode: read('PAY_USDT_TON_WALLET_CODE', walletCode.default(USDT_ON_TON.walletCode)),
    } satisfies Jetton,
    /** The operator's own addresses: their transactions are not payments. */
    fundingAddresses: {
      evm: read('PAY_EVM_FUNDING', list.pipe(z.array(evmAddress).max(FUNDING_ADDRESSES_MAX))),
      tron: read('PAY_TRON_FUNDING', list.pipe(z.array(tronAddress).max(FUNDING_ADDRESSES_MAX))),
      ton: read('PAY_TON_FUNDING', list.pipe(z.array(tonAddress).max(FUNDING_ADDRESSES_MAX))),
    },
    /** Undefined: no credit is put on hold because of its size. */
    holdAboveMicros: read('PAY_HOLD_USD', z.coerce.number().positive().transform(orProblem(toMicros)).optional()),
    /** How long an address is watched at the pace of its chain after the end of its last invoice. */
    watchMs: read('PAY_WATCH_DAYS', z.coerce.number().int().min(1).max(90).default(7)) * DAY_MS,
    /** Above the minimum of all currencies. */
    minimumMicros: read('PAY_MINIMUMS_USD', minimums),
    rateUrls: readRateUrls(environment, coingeckoKey),
    /** By which name each source knows each coin. */
    rateIds: read('RATES_IDS', list.transform(orProblem(readRateIds))),
    coingeckoKey,
  };
  const isComplete = isDevelopment || problems.length > problemsBefore || configuredCurrencies(settings).length > 0;
  if (!isComplete) problems.push(MISSING_CURRENCY);
  return settings;
}

/** Currencies whose account and nodes are set. */
export function configuredCurrencies({ accounts, urls }: PaymentSettings): Currency[] {
  return currencies.filter((currency) => {
    const { chain, addressSpace } = currencyRules[currency];
    return urls[chain] !== undefined && addressSpace in accounts;
  });
}

/** A sentence if payments in another token are credited as USDT: nothing but its decimals shows that it is the right one. */
export function nameOtherToken({ usdtContracts, usdtOnTon }: PaymentSettings, chain: Chain): string[] {
  if (chain === 'bitcoin' || chain === 'litecoin') return [];
  const token = { ...usdtContracts, ton: usdtOnTon.master }[chain];
  const usual = usualTokens[chain];
  const space = chain === 'tron' || chain === 'ton' ? chain : 'evm';
  return parseAddress(space, token) === parseAddress(space, usual)
    ? []
    : [`payments in ${token} are credited as USDT, whose usual contract is ${usual}`];
}

/** Production has no sandbox. */
const MISSING_CURRENCY = `No payment currency is set up, and production refuses the sandbox. Set ${[
  'PAY_BTC_XPUB, PAY_BTC_ADDRESS_0 and PAY_BTC_URLS for Bitcoin',
  'PAY_LTC_XPUB, PAY_LTC_ADDRESS_0 and PAY_LTC_URLS for Litecoin',
  'PAY_EVM_XPUB, PAY_EVM_ADDRESS_0 and PAY_ETH_URLS or PAY_BSC_URLS for Ethereum or BSC',
  'PAY_TRON_XPUB, PAY_TRON_ADDRESS_0 and PAY_TRON_URLS for TRON',
  'PAY_TON_PUBLIC_KEY, PAY_TON_ADDRESS_0 and PAY_TON_URLS for TON',
].join('; or ')} (docs/payments.md)`;

/** The operator's accounts: what the names of their settings begin with, and the setting of their key. */
const accountNames = [
  ['btc', 'PAY_BTC', 'PAY_BTC_XPUB'],
  ['ltc', 'PAY_LTC', 'PAY_LTC_XPUB'],
  ['evm', 'PAY_EVM', 'PAY_EVM_XPUB'],
  ['tron', 'PAY_TRON', 'PAY_TRON_XPUB'],
  ['ton', 'PAY_TON', 'PAY_TON_PUBLIC_KEY'],
] as const;

function readAccounts({ read, problems }: Environment): Partial<Record<AddressSpace, AccountKey>> {
  const accounts: Partial<Record<AddressSpace, AccountKey>> = {};
  for (const [space, name, keyName] of accountNames) {
    const key = read(keyName, z.string().optional());
    const address = read(`${name}_ADDRESS_0`, z.string().trim().optional());
    if (key === undefined && address === undefined) continue;
    try {
      if (key === undefined) throw new Error(`${keyName} is not set, but ${name}_ADDRESS_0 is`);
      const account = parseOrExplain(keyName, key);
      requireFirstAddress({ space, name, keyName }, account, address);
      accounts[space] = account;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return accounts;
}

interface AccountNames {
  space: AddressSpace;
  name: string;
  keyName: string;
}

/** The address proves that the key belongs to the account of the wallet; of a key of TON, also that it is public. */
function requireFirstAddress(
  { space, name, keyName }: AccountNames,
  account: AccountKey,
  address: string | undefined,
): void {
  const derived = deriveAddress(space, account, 0n);
  if (address === undefined)
    // The address of a private key that was taken for a public one must come from the wallet, or nothing would find the mistake.
    throw new Error(
      space === 'ton'
        ? `${name}_ADDRESS_0 is not set: copy the address that your wallet shows for its version v4R2`
        : `${name}_ADDRESS_0 is not set: copy the first receiving address from your wallet, which proves that the key is of it`,
    );
  if (isSameAddress(space, derived, address)) return;
  if (space === 'ton' && isTestForm(address))
    throw new Error(
      `${name}_ADDRESS_0 is ${address}, the form of an address for test networks: switch the wallet to the main network, and copy its address again`,
    );
  const advice =
    space === 'ton'
      ? 'the key is either not of this wallet (v4R2), or a private key: then consider it as known to others'
      : 'check that both are of the same account';
  throw new Error(`${name}_ADDRESS_0 is ${address}, which is not the first address of ${keyName}: ${advice}`);
}

function parseOrExplain(name: string, key: string): AccountKey {
  try {
    return name === 'PAY_TON_PUBLIC_KEY' ? parseWalletKey(key) : parseAccountKey(key);
  } catch (error) {
    if (error instanceof InvalidAccountKey) throw new Error(`${name} ${error.message}`, { cause: error });
    throw error;
  }
}

/** URLs of nodes with their secrets, the preferred ones first. A chain without URLs is not watched. */
function readUrls({ read }: Environment): Partial<Record<Chain, readonly string[]>> {
  const ofTron = urlsOfTwo(
    'needs at least two independent nodes, because what a single one says about tokens on TRON cannot be proven',
  );
  const ofTon = urlsOfTwo(
    'needs at least two independent sources, because what a single one says about TON cannot be proven',
  ).refine(
    (urls) => urls.length === 0 || urls.some(hasIndex),
    'needs a source of version 3, whose index finds payments: its address ends with /api/v3',
  );
  const all = {
    bitcoin: read('PAY_BTC_URLS', urls),
    litecoin: read('PAY_LTC_URLS', urls),
    ethereum: read('PAY_ETH_URLS', urls),
    bsc: read('PAY_BSC_URLS', urls),
    tron: read('PAY_TRON_URLS', ofTron),
    ton: read('PAY_TON_URLS', ofTon),
  };
  return Object.fromEntries(Object.entries(all).filter(([, each]) => each?.length > 0));
}

/** Base URLs; a source without one is not queried. */
function readRateUrls({ read }: Environment, coingeckoKey?: string): Partial<Record<RateSourceName, string>> {
  const chosen = rateSourceNames.flatMap((name) => {
    const { url, needsKey } = rateSources[name];
    const setting = `RATES_${name.toUpperCase()}_URL`;
    const typed = z
      .string()
      .trim()
      .regex(
        /^(?:off|https?:\/\/[^\s@#]+)$/,
        `${setting} is neither an http address, without a user and a #, nor "off"`,
      )
      .transform(
        orProblem((text) => {
          if (text !== 'off') parseSourceUrl(text, needsKey && coingeckoKey);
          return text;
        }),
      );
    const used = read(setting, typed.default(needsKey && coingeckoKey === undefined ? 'off' : url));
    return used === 'off' ? [] : [[name, used] as const];
  });
  return Object.fromEntries(chosen);
}
