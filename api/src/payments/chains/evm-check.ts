/** Whether a source of Ethereum or BSC serves everything that the watcher will ask for. */
import { MULTICALL_ADDRESS, readBalances } from './multicall.ts';
import type { EvmHeader, EvmNode } from './evm-node.ts';
import type { EvmRules } from './chain.ts';
import { readToken } from './evm-token.ts';
import { find } from './findings.ts';
import type { SourceFinding } from './watcher.ts';

export interface EvmHead {
  latest: EvmHeader;
  safeHeight: number;
  finalizedHeight: number;
}

interface Watched {
  /** Lower case. */
  contract: string;
  rules: EvmRules;
  /** Of the token. */
  decimals: number;
}

/** Any address: the question matters, not the answer. */
const SOMEBODY = `0x${'11'.repeat(20)}`;
/** The token of a main network is transferred in each of them. */
const BLOCKS_WITH_TRANSFERS = 20;
/** Full nodes have the states of 128 blocks. */
const OLD_STATE_BLOCKS = 10_000;

/** @param readHead as the watcher does it at each poll */
export async function checkEvmSource(
  node: EvmNode,
  { contract, decimals, rules: { hasNativeCoin, blocksPerPoll } }: Watched,
  readHead: () => Promise<EvmHead>,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const source = node.transport.name;
  let state: EvmHead | undefined;
  const head = await find({ source, need: 'newest block' }, async () => {
    state = await readHead();
    return `block ${state.latest.number} of ${state.latest.timestamp.toISOString()}`;
  });
  if (!state) return [head];
  const { finalizedHeight, latest } = state;
  const height = latest.number;
  const ask = (need: string, run: () => Promise<string>, isRequired = true) => find({ source, need, isRequired }, run);
  const findings = [
    head,
    await ask('eth_getLogs', async () => {
      const fromHeight = Math.max(0, height - blocksPerPoll + 1);
      await node.logs({ contract, fromHeight, toHeight: height, recipients: [SOMEBODY] }, signal);
      return `of ${height - fromHeight + 1} blocks`;
    }),
    await ask('logs of the token', () => requireTransfers(node, contract, height, signal), false),
    await ask('eth_call of Multicall3', async () => {
      await readBalances(node, contract, [SOMEBODY], finalizedHeight, signal);
      return `${MULTICALL_ADDRESS} works`;
    }),
    await ask('contract of USDT', () => requireDecimals(node, { contract, decimals }, finalizedHeight, signal)),
    await ask('state of USDT', () => requireUsable(node, contract, finalizedHeight, signal), false),
  ];
  if (!hasNativeCoin) return findings;
  return [
    ...findings,
    await ask('blocks and receipts', async () => {
      const block = await node.block(finalizedHeight, signal);
      if (!block) throw new Error(`block ${finalizedHeight} is missing`);
      const [first] = block.transactions;
      if (first && !(await node.receipt(first.hash, signal)))
        throw new Error(`the receipt of ${first.hash} is missing`);
      return `block ${finalizedHeight}`;
    }),
    await ask(
      'states of old blocks',
      async () => {
        const oldHeight = Math.max(0, height - OLD_STATE_BLOCKS);
        await node.balance(SOMEBODY, oldHeight, signal);
        if (!(await node.accountProof(SOMEBODY, oldHeight, signal)))
          throw new Error('an archive without eth_getProof: it counts only together with a second archive');
        return 'an archive: ether is found after an outage of any length';
      },
      false,
    ),
  ];
}

/** A node that has not indexed logs reports none, without an error. */
async function requireTransfers(node: EvmNode, contract: string, height: number, signal: AbortSignal) {
  const fromHeight = Math.max(0, height - BLOCKS_WITH_TRANSFERS + 1);
  const logs = await node.logs({ contract, fromHeight, toHeight: height }, signal);
  if (logs.length > 0) return `${logs.length} in ${BLOCKS_WITH_TRANSFERS} blocks`;
  throw new Error(
    `none in ${BLOCKS_WITH_TRANSFERS} blocks: on a main network, this source has not indexed them and hides payments`,
  );
}

async function requireDecimals(
  node: EvmNode,
  { contract, decimals }: { contract: string; decimals: number },
  height: number,
  signal: AbortSignal,
) {
  const token = await readToken(node, contract, height, signal);
  if (token.decimals === decimals) return `${decimals} decimals`;
  const found = token.decimals === undefined ? 'is no token' : `has ${token.decimals} decimals, not ${decimals}`;
  throw new Error(`${contract} ${found}: payments would be credited wrongly`);
}

async function requireUsable(node: EvmNode, contract: string, height: number, signal: AbortSignal) {
  const { isPaused, isDeprecated } = await readToken(node, contract, height, signal);
  if (isDeprecated)
    throw new Error(
      'its issuer has replaced the contract: payments by the new one are not seen, until it is in the settings',
    );
  if (isPaused) throw new Error('its issuer has paused it: nobody can send it');
  return 'neither paused nor replaced';
}
