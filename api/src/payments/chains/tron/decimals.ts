/** What a contract on TRON says about its decimals. */
import { agree } from '../sources.ts';
import type { TronNode } from './tron-node.ts';

const WORD = /^[0-9a-f]{64}$/;

/** @returns undefined if there is no contract, or one without decimals @throws ChainUnavailable if the nodes do not agree */
export function readDecimals(
  nodes: readonly TronNode[],
  contract: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const read = async (node: TronNode) => {
    const word = await node.callSolid({ contract, signature: 'decimals()', parameter: '' }, signal);
    return word !== undefined && WORD.test(word) ? Number(`0x${word}`) : undefined;
  };
  return agree(nodes, 'decimals of the token', read, String);
}
