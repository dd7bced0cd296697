/** The chains on which customers pay. */
export const chains = ['bitcoin', 'litecoin', 'ethereum', 'bsc', 'tron', 'ton'] as const;
export type Chain = (typeof chains)[number];

/** Chains of one space share their addresses: the same key owns the same address on each of them. */
export type AddressSpace = 'btc' | 'ltc' | 'evm' | 'tron' | 'ton';

/** Ethereum and BSC share addresses, so an address belongs to the same customer on both. */
export const addressSpaces = {
  bitcoin: 'btc',
  litecoin: 'ltc',
  ethereum: 'evm',
  bsc: 'evm',
  tron: 'tron',
  ton: 'ton',
} as const satisfies Record<Chain, AddressSpace>;

/** Independent sources of one chain: any two of three must agree, while a single one is trusted. */
export const SOURCES_RECOMMENDED = 3;
