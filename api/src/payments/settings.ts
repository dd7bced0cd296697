/** The settings of payments: keys of accounts, nodes and rules. docs/payments.md explains them to the operator. */
import { chainNames } from '@cellhop/contract/chains';
import { type Environment, orProblem } from '@cellhop/contract/environment';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { toMicros } from '@cellhop/contract/units';
import { z } from 'zod';
import type { ChainDescriptor } from './chains/chain.ts';
import { type ChainWith, descriptors, has } from './chains/descriptors.ts';
import { parseSourceUrl } from './chains/source-url.ts';
import { USDT as USDT_ON_TON } from './chains/ton/jetton.ts';
import { hasIndex } from './chains/ton/toncenter-version.ts';
import { addressSpaces, type AddressSpace, type Chain, chains, currencyRules } from './currencies.ts';
import { type AccountKey, InvalidAccountKey } from './derive/account-key.ts';
import { codecOf, deriveAddress, isSameAddress, parseAddress } from './derive/addresses.ts';
import { toChecksumAddress } from './derive/evm-address.ts';
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
  const readContract = (chain: ChainWith<'token'>, schema: z.ZodType<string, string>) => {
    const { setting, usualContract } = descriptors[chain].token;
    return read(setting, schema.default(usualContract));
  };
  const coingeckoKey = read('RATES_COINGECKO_KEY', z.string().optional());
  const settings = {
    /** The operator's accounts. */
    accounts: readAccounts(environment),
    urls: readUrls(environment),
    usdtContracts: {
      ethereum: readContract('ethereum', evmContract),
      bsc: readContract('bsc', evmContract),
      tron: readContract('tron', tronAddress),
      ton: readContract('ton', tonAddress),
    } satisfies Record<ChainWith<'token'>, string>,
    /** Of wallets of USDT on TON. */
    usdtWalletCode: read('PAY_USDT_TON_WALLET_CODE', walletCode.default(USDT_ON_TON.walletCode)),
    /** The operator's own addresses: their transactions are not payments. */
    fundingAddresses: {
      evm: read('PAY_EVM_FUNDING', list.pipe(z.array(evmAddress).max(FUNDING_ADDRESSES_MAX))),
      tron: read('PAY_TRON_FUNDING', list.pipe(z.array(tronAddress).max(FUNDING_ADDRESSES_MAX))),
      ton: read('PAY_TON_FUNDING', list.pipe(z.array(tonAddress).max(FUNDING_ADDRESSES_MAX))),
    },
    /** Undefined: no credit is suspended because of its size. */
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
export function nameOtherToken({ usdtContracts }: PaymentSettings, chain: Chain): string[] {
  if (!has(chain, 'token')) return [];
  const token = usdtContracts[chain];
  const { usualContract } = descriptors[chain].token;
  const space = addressSpaces[chain];
  return parseAddress(space, token) === parseAddress(space, usualContract)
    ? []
    : [`payments in ${token} are credited as USDT, whose usual contract is ${usualContract}`];
}

/** The chains of each space, whose account they share. */
const spaces = Map.groupBy(chains, (chain) => addressSpaces[chain]);

/** Production has no sandbox. */
const MISSING_CURRENCY = `No payment currency is set up, and production refuses the sandbox. Set ${[...spaces.values()]
  .map((chains) => {
    const { key, account } = descriptors[chains[0]!].settings;
    const urls = chains.map((chain) => descriptors[chain].settings.urls).join(' or ');
    return `${key}, ${account}_ADDRESS_0 and ${urls} for ${chains.map((chain) => chainNames[chain]).join(' or ')}`;
  })
  .join('; or ')} (docs/payments.md)`;

function readAccounts({ read, problems }: Environment): Partial<Record<AddressSpace, AccountKey>> {
  const accounts: Partial<Record<AddressSpace, AccountKey>> = {};
  for (const [space, [chain]] of spaces) {
    const { settings } = descriptors[chain!];
    const key = read(settings.key, z.string().optional());
    const address = read(`${settings.account}_ADDRESS_0`, z.string().trim().optional());
    if (key === undefined && address === undefined) continue;
    try {
      if (key === undefined) throw new Error(`${settings.key} is not set, but ${settings.account}_ADDRESS_0 is`);
      const account = parseOrExplain(space, settings.key, key);
      requireFirstAddress(space, settings, account, address);
      accounts[space] = account;
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return accounts;
}

/** The address proves that the key belongs to the account of the wallet; of a key of TON, also that it is public. */
function requireFirstAddress(
  space: AddressSpace,
  { account: name, key, addressAdvice, mismatchAdvice }: ChainDescriptor['settings'],
  account: AccountKey,
  address: string | undefined,
): void {
  const derived = deriveAddress(space, account, 0n);
  const advice =
    addressAdvice ?? 'copy the first receiving address from your wallet, which proves that the key is of it';
  if (address === undefined) throw new Error(`${name}_ADDRESS_0 is not set: ${advice}`);
  if (isSameAddress(space, derived, address)) return;
  if (codecOf(space).isTestForm?.(address) === true)
    throw new Error(
      `${name}_ADDRESS_0 is ${address}, the form of an address for test networks: switch the wallet to the main network, and copy its address again`,
    );
  throw new Error(
    `${name}_ADDRESS_0 is ${address}, which is not the first address of ${key}: ${mismatchAdvice ?? 'check that both are of the same account'}`,
  );
}

function parseOrExplain(space: AddressSpace, name: string, key: string): AccountKey {
  try {
    return codecOf(space).parseKey(key);
  } catch (error) {
    if (error instanceof InvalidAccountKey) throw new Error(`${name} ${error.message}`, { cause: error });
    throw error;
  }
}

/** URLs of nodes with their secrets, the preferred ones first. A chain without URLs is not watched. */
function readUrls({ read }: Environment): Partial<Record<Chain, readonly string[]>> {
  const all = chains.map((chain): [Chain, readonly string[]] => {
    const { settings, sourcesMinReason } = descriptors[chain];
    const ofTwo = urls.refine((urls) => urls.length === 0 || countHosts(urls) >= SOURCES_MIN, sourcesMinReason);
    const ofChain = sourcesMinReason === undefined ? urls : ofTwo;
    return [chain, read(settings.urls, chain === 'ton' ? withIndex(ofChain) : ofChain)];
  });
  return Object.fromEntries(all.filter(([, each]) => each?.length > 0));
}

const withIndex = (urls: z.ZodType<string[], string | undefined>) =>
  urls.refine(
    (urls) => urls.length === 0 || urls.some(hasIndex),
    'needs a source of version 3, whose index finds payments: its address ends with /api/v3',
  );

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
