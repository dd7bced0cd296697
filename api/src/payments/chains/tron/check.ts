/** Whether a source of TRON serves everything that the watcher will ask for. */
import { find } from '../findings.ts';
import type { SourceFinding } from '../watcher.ts';
import type { TronBlock, TronHeader } from './answers.ts';
import { isProven } from './bodies.ts';
import { requireLogIndex } from './log-index.ts';
import type { TronNode } from './tron-node.ts';

export interface NodeHead {
  head: TronHeader;
  solid: TronHeader;
}

const USDT_DECIMALS = 6n;
/** A day. */
const OLD_BLOCKS = 28_800;
const BODIES = 3;
/** Any address: the question matters, not the answer. */
const SOMEBODY = `41${'11'.repeat(20)}`;

/**
 * @param contract the token's, 21 bytes
 * @param readHead as the watcher does it at each poll
 */
export async function checkTronSource(
  node: TronNode,
  contract: string,
  readHead: () => Promise<NodeHead>,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const source = node.transport.name;
  let heads: NodeHead | undefined;
  const first = await find({ source, need: 'newest block' }, async () => {
    heads = await readHead();
    const { head, solid } = heads;
    return `block ${head.height} of ${head.time.toISOString()}, solid up to ${solid.height}`;
  });
  if (!heads) return [first];
  const { height } = heads.solid;
  const ask = (need: string, run: () => Promise<string>, isRequired = true) => find({ source, need, isRequired }, run);
  return [
    first,
    await ask('blocks with transactions', () => checkBodies(node, height, signal)),
    await ask('blocks that prove themselves', () => checkProofs(node, height, signal), false),
    await ask('eth_getLogs and receipts', () => checkLogs(node, contract, height, signal)),
    await ask('balances', async () => {
      await node.solidBalance(SOMEBODY, signal);
      return 'at the newest solid block';
    }),
    await ask('contract of USDT', () => checkDecimals(node, contract, signal)),
    await ask('state of USDT', () => checkState(node, contract, signal), false),
    await ask('blocks of yesterday', () => checkHistory(node, height, signal), false),
  ];
}

async function checkBodies(node: TronNode, height: number, signal: AbortSignal): Promise<string> {
  const blocks = await readBlocks(node, height, signal);
  return `${blocks.reduce((sum, { transactions }) => sum + transactions.length, 0)} in ${blocks.length} blocks`;
}

/** Senders may hide fields, so that blocks of an honest source prove nothing, too. */
async function checkProofs(node: TronNode, height: number, signal: AbortSignal): Promise<string> {
  const blocks = await readBlocks(node, height, signal);
  const unproven = blocks.filter((block) => !isProven(block)).map((block) => block.height);
  if (unproven.length === 0) return `all of ${blocks.length}`;
  throw new Error(
    `not ${unproven.join(', ')}: a sender has put hidden fields into a transaction, or the source changes some; two sources must agree about such blocks`,
  );
}

async function readBlocks(node: TronNode, height: number, signal: AbortSignal): Promise<TronBlock[]> {
  const fromHeight = Math.max(0, height - BODIES + 1);
  const blocks = await node.bodies(fromHeight, height, signal);
  if (blocks.length === height - fromHeight + 1) return blocks;
  throw new Error(`block ${height} is missing`);
}

async function checkLogs(node: TronNode, contract: string, height: number, signal: AbortSignal): Promise<string> {
  const logs = await requireLogIndex(node, contract, height, signal);
  const last = logs.at(-1);
  if (!last) return 'no transfers of the token lately';
  const transactionId = last.transactionHash.slice(2);
  const receipt = await node.receipt(transactionId, signal);
  const info = await node.solidInfo(transactionId, signal);
  if (receipt && info) return `${logs.length} transfers of USDT in the last minute`;
  throw new Error(`the receipt of ${transactionId} is missing`);
}

async function checkDecimals(node: TronNode, contract: string, signal: AbortSignal): Promise<string> {
  const decimals = await readWord(node, contract, 'decimals()', signal);
  if (decimals === USDT_DECIMALS) return `${USDT_DECIMALS} decimals`;
  const found = decimals === undefined ? 'is no token' : `has ${decimals} decimals, not ${USDT_DECIMALS}`;
  throw new Error(`the contract ${found}: payments would be credited wrongly`);
}

async function checkState(node: TronNode, contract: string, signal: AbortSignal): Promise<string> {
  if ((await readWord(node, contract, 'deprecated()', signal)) === 1n)
    throw new Error(
      'its issuer has replaced the contract: payments by the new one are not seen, until it is in the settings',
    );
  if ((await readWord(node, contract, 'paused()', signal)) === 1n)
    throw new Error('its issuer has paused it: nobody can send it');
  return 'neither paused nor replaced';
}

async function checkHistory(node: TronNode, height: number, signal: AbortSignal): Promise<string> {
  const block = await node.header(Math.max(0, height - OLD_BLOCKS), signal);
  if (block) return 'a day without a worker can be read later';
  throw new Error('they are missing: after a longer outage another source is needed');
}

/** @returns undefined if the contract does not have the function */
async function readWord(
  node: TronNode,
  contract: string,
  signature: string,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const word = await node.callSolid({ contract, signature, parameter: '' }, signal);
  return word?.length === 64 ? BigInt(`0x${word}`) : undefined;
}
