/** Reads many balances with one call of Multicall3, a contract that exists at the same address on every large EVM chain. */
import type { EvmNode } from './evm-node.ts';
import { ChainUnavailable } from './watcher.ts';

export const MULTICALL_ADDRESS = '0xca11bde05977b3631167028862be2a173976ca11';
/** 256 bytes and some 6,000 gas each: within what public nodes accept for one call. */
const CALLS_MAX = 500;
/** Function selectors: the first four bytes of the hash of the signature. */
const AGGREGATE_3 = '0x82ad56cb';
const GET_ETH_BALANCE = '4d2301cc';
const BALANCE_OF = '70a08231';
const WORD_DIGITS = 64;
/** The words of each result: its offset, then success, offset and length of the returned bytes, and the balance. */
const RESULT_WORDS = 5;

const word = (value: number | bigint) => value.toString(16).padStart(WORD_DIGITS, '0');

/**
 * @param token its contract; undefined for the native coin
 * @param owners lower case
 */
export function readBalances(
  node: EvmNode,
  token: string | undefined,
  owners: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<Map<string, bigint>> {
  const native = { target: MULTICALL_ADDRESS, selector: GET_ETH_BALANCE };
  return readWords(
    node,
    token === undefined ? native : { target: token, selector: BALANCE_OF },
    owners,
    height,
    signal,
  );
}

/** A function of a contract that takes an address and returns one word. */
interface AddressFunction {
  target: string;
  selector: string;
}

/** @param owners lower case */
export async function readWords(
  node: EvmNode,
  called: AddressFunction,
  owners: readonly string[],
  height: number,
  signal: AbortSignal,
): Promise<Map<string, bigint>> {
  const values = new Map<string, bigint>();
  for (let start = 0; start < owners.length; start += CALLS_MAX) {
    const batch = owners.slice(start, start + CALLS_MAX);
    const response = await node.callContract(MULTICALL_ADDRESS, encodeCalls(called, batch), height, signal);
    const results = decodeResults(response, batch.length);
    if (!results) {
      throw new ChainUnavailable('INVALID_RESPONSE', `${node.rpc.name} sent no balances of block ${height}`);
    }
    for (const [index, owner] of batch.entries()) values.set(owner, results[index]!);
  }
  return values;
}

/** `aggregate3((address target, bool allowFailure, bytes callData)[])` */
function encodeCalls({ target, selector }: AddressFunction, owners: readonly string[]): string {
  const calls = owners.map((owner) => {
    const callData = `${selector}${word(BigInt(owner))}`;
    // target, allowFailure, offset and length of the call data, and 36 bytes of it, filled up to two words.
    return [word(BigInt(target)), word(0), word(96), word(36), callData.padEnd(2 * WORD_DIGITS, '0')].join('');
  });
  const callBytes = (calls[0]?.length ?? 0) / 2;
  const offsets = calls.map((_, index) => word(32 * calls.length + index * callBytes));
  return [AGGREGATE_3, word(32), word(calls.length), ...offsets, ...calls].join('');
}

/** `(bool success, bytes returnData)[]`. @returns undefined if these are not that many balances */
function decodeResults(response: string, count: number): bigint[] | undefined {
  const words = response.slice(2).match(/.{64}/g) ?? [];
  const [, length, ...results] = words;
  if (BigInt(`0x${length ?? '0'}`) !== BigInt(count) || results.length !== count * RESULT_WORDS) return undefined;
  const values = results.slice(count);
  return Array.from({ length: count }, (_, index) => BigInt(`0x${values[index * (RESULT_WORDS - 1) + 3]!}`));
}
