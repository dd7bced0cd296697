/** The chains by name. */
import { type Chain, chains } from '@cellhop/contract/chains';
import { bitcoin } from './bitcoin/chain.ts';
import { bsc } from './bsc/chain.ts';
import type { ChainDescriptor } from './chain.ts';
import { ethereum } from './ethereum/chain.ts';
import { litecoin } from './litecoin/chain.ts';
import { ton } from './ton/chain.ts';
import { tron } from './tron/chain.ts';

const all = { bitcoin, litecoin, ethereum, bsc, tron, ton } as const;

/** The chains whose descriptors have this part. */
export type ChainWith<Part extends keyof ChainDescriptor> = {
  [Name in Chain]: (typeof all)[Name] extends Record<Part, unknown> ? Name : never;
}[Chain];

export const descriptors: {
  [Name in Chain]: ChainDescriptor & Required<Pick<ChainDescriptor, keyof (typeof all)[Name] & keyof ChainDescriptor>>;
} = all;

export function has<Part extends keyof ChainDescriptor>(chain: Chain, part: Part): chain is ChainWith<Part> {
  return part in descriptors[chain];
}

export function chainsWith<Part extends keyof ChainDescriptor>(part: Part): ChainWith<Part>[] {
  return chains.filter((chain) => has(chain, part));
}

/** How many blocks a chain usually has in this time. */
export function blocksIn(chain: Chain, ms: number): number {
  return Math.ceil(ms / descriptors[chain].pace.blockMs);
}
