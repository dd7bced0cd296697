/** The chains on which customers pay. Chains of one space share their addresses: the same key owns the same address on each of them. */
export const addressSpaces = {
  bitcoin: 'btc',
  litecoin: 'ltc',
  ethereum: 'evm',
  bsc: 'evm',
  tron: 'tron',
  ton: 'ton',
} as const;

export type Chain = keyof typeof addressSpaces;
export type AddressSpace = (typeof addressSpaces)[Chain];
export const chains = Object.keys(addressSpaces) as Chain[];

/** Equal in all languages. */
export const chainNames: Record<Chain, string> = {
  bitcoin: 'Bitcoin',
  litecoin: 'Litecoin',
  ethereum: 'Ethereum',
  bsc: 'BNB Smart Chain',
  tron: 'TRON',
  ton: 'TON',
};

interface CurrencyFacts {
  chain: Chain;
  /** What people call the coin, unless it is its ticker. */
  coinName?: string;
  /** Of a token: the name of its network's standard, which follows its ticker. */
  standard?: string;
  /** Of a token: the coin that pays the fees of its network. */
  feeCoin?: string;
}

/** Toncoin has been renamed, and other coins have its tickers, the old one and the new one. */
const GRAM = 'Gram (Toncoin)';

/** In the order of all lists. */
export const currencyFacts = {
  BTC: { chain: 'bitcoin' },
  ETH: { chain: 'ethereum' },
  LTC: { chain: 'litecoin' },
  TRX: { chain: 'tron' },
  TON: { chain: 'ton', coinName: GRAM },
  USDT_TRC20: { chain: 'tron', standard: 'TRC20', feeCoin: 'TRX' },
  USDT_ERC20: { chain: 'ethereum', standard: 'ERC20', feeCoin: 'ETH' },
  USDT_BSC: { chain: 'bsc', standard: 'BEP20', feeCoin: 'BNB' },
  USDT_TON: { chain: 'ton', standard: 'TON', feeCoin: GRAM },
} as const satisfies Record<string, CurrencyFacts>;

export type Currency = keyof typeof currencyFacts;
export const currencies = Object.keys(currencyFacts) as Currency[];

/** Independent sources of one chain: any two of three must agree, while a single one is trusted. */
export const SOURCES_RECOMMENDED = 3;
