/** What the issuer of a token may do with it, as Tether can: pause it, replace its contract, freeze an address. */
import type { EvmNode } from './evm-node.ts';
import type { Reading } from './evm-reader.ts';
import { readWords } from './multicall.ts';
import { SourceRefusal } from './refusals.ts';
import { agree } from './sources.ts';

/** Function selectors: the first four bytes of the hash of the signature. */
const DECIMALS = '313ce567';
const PAUSED = '5c975abb';
const DEPRECATED = '0e136b19';
/** `isBlackListed(address)` */
const IS_FROZEN = 'e47d6060';
const WORD = /^0x[0-9a-f]{64}$/;

export interface TokenState {
  /** Undefined: the contract does not say so, or it is no token. */
  decimals: number | undefined;
  isPaused: boolean;
  /** Another contract has replaced it: transfers are no longer reported by this one. */
  isDeprecated: boolean;
}

/** @param height of a block whose state the node has */
export async function readToken(
  node: EvmNode,
  contract: string,
  height: number,
  signal: AbortSignal,
): Promise<TokenState> {
  const read = (selector: string) => readWord(node, contract, selector, height, signal);
  return {
    decimals: await readDecimals(node, contract, height, signal),
    isPaused: ((await read(PAUSED)) ?? 0n) !== 0n,
    isDeprecated: ((await read(DEPRECATED)) ?? 0n) !== 0n,
  };
}

/** @returns undefined if there is no contract, or one without decimals @throws ChainUnavailable if the nodes do not agree */
export function readAgreedDecimals(
  { nodes, contract, signal }: Pick<Reading, 'nodes' | 'contract' | 'signal'>,
  height: number,
): Promise<number | undefined> {
  return agree(nodes, 'decimals of the token', (node) => readDecimals(node, contract, height, signal), String);
}

async function readDecimals(node: EvmNode, contract: string, height: number, signal: AbortSignal) {
  const decimals = await readWord(node, contract, DECIMALS, height, signal);
  return decimals === undefined ? undefined : Number(decimals);
}

/** Those whose tokens the issuer has frozen; none if the contract cannot freeze any. @param owners lower case */
export async function listFrozen(
  node: EvmNode,
  contract: string,
  owners: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const nobody = '0'.repeat(64);
  if ((await readWord(node, contract, IS_FROZEN + nobody, height, signal)) === undefined) return new Set();
  const flags = await readWords(node, { target: contract, selector: IS_FROZEN }, owners, height, signal);
  return new Set(owners.filter((owner) => flags.get(owner) !== 0n));
}

/** @returns undefined if the contract has no such function */
async function readWord(node: EvmNode, contract: string, data: string, height: number, signal: AbortSignal) {
  try {
    const response = await node.callContract(contract, `0x${data}`, height, signal);
    return WORD.test(response) ? BigInt(response) : undefined;
  } catch (error) {
    // Other refusals say nothing about the contract.
    if (error instanceof SourceRefusal && /revert/i.test(error.message)) return undefined;
    throw error;
  }
}
