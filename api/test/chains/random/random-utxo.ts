import type { Random } from '../../../../tools/random.ts';
import { type ChainWith, descriptors } from '../../../src/payments/chains/descriptors.ts';
import { witnessScript } from '../../../src/payments/chains/utxo-node.ts';
import { createUtxoWatcher } from '../../../src/payments/chains/utxo-rpc.ts';
import {
  createFakeUtxoChain,
  type FakeOutput,
  type FakeUtxoChain,
  genesisHash,
  serializeTransaction,
  serveUtxo,
  toId,
  toOutput,
} from '../fake-utxo.ts';
import { listenHonestly } from '../honest-nodes.ts';
import { startHostileProxy } from '../hostile-proxy.ts';
import { pretends } from '../lies.ts';
import {
  createForks,
  createSwept,
  type Paid,
  type Payment,
  type Plan,
  type RandomChain,
  shuffle,
  START,
} from './random-chain.ts';
import { PATIENT_MS } from '../patience.ts';

const BLOCK_MS = 600_000;
const SATOSHIS = 1e8;
/** More orphaned blocks pause the chain. */
const FORK_DEPTH_MAX = 2;
/** More than any rule of the amounts of the plan. */
const BLOCKS_UNTIL_FINAL = 10;
const FOREIGN = `0014${'ab'.repeat(20)}`;

interface Sent extends Paid {
  name: string;
  outputs: FakeOutput[];
  transactionId: string;
  /** Undefined: it waits. */
  height: number | undefined;
}

export async function openRandomUtxo(chain: ChainWith<'utxo'>, random: Random): Promise<RandomChain> {
  const { addressPrefix } = descriptors[chain].utxo;
  const { state, ...plan } = createPlan(addressPrefix, random);
  const elsewhere = createFakeUtxoChain({ headAt: START, forkAt: () => 'other', headHeight: 1050 });
  const nodes = await listenHonestly(serveUtxo(state), serveUtxo(elsewhere));
  const liar = await startHostileProxy(nodes.urls[0]!, nodes.elsewhere);
  return {
    ...plan,
    chain,
    liar,
    liesAbout: (addresses) => {
      const scripts = addresses.map((address) => witnessScript(address, addressPrefix));
      return [
        pretends(scripts.map((script) => [FOREIGN, script])),
        pretends(scripts.map((script) => [script, FOREIGN])),
      ];
    },
    createWatcher: () =>
      createUtxoWatcher({
        chain,
        urls: shuffle([liar.url, ...nodes.urls.slice(1)], random),
        network: { genesisHash, addressPrefix },
        timeoutMs: PATIENT_MS,
        now: () => state.headAt,
      }),
    async end() {
      nodes.end();
      await liar.close();
    },
  };
}

function createPlan(addressPrefix: string, random: Random): Plan & { state: FakeUtxoChain } {
  const forks = createForks();
  const swept = createSwept();
  let sent: Sent[] = [];
  const at = (height: number) => sent.filter((one) => one.height === height);
  const state = createFakeUtxoChain({
    headAt: START,
    foreignTransactions: 2,
    forkAt: forks.at,
    outputsAt: (height) => at(height).map(({ outputs }) => outputs),
    nameAt: (height, index) => at(height)[index]!.name,
  });

  function move(blocks: number): void {
    state.headHeight += blocks;
    state.headAt = new Date(state.headAt.getTime() + blocks * BLOCK_MS);
    fillPool();
  }
  function fillPool(): void {
    state.pool.clear();
    for (const { height, transactionId, outputs } of sent)
      if (height === undefined) state.pool.set(transactionId, outputs.map(toOutput));
  }
  /** @param percent of what waits, in one of these blocks */
  function include(percent: number, from: number, blocks: number): void {
    for (const one of sent)
      if (one.height === undefined && random.below(100) < percent) one.height = from + random.below(blocks);
  }

  return {
    state,
    swept,
    pay(payment) {
      sent.push(createPayment(payment, addressPrefix, random));
      fillPool();
      return Promise.resolve();
    },
    advance() {
      const blocks = 1 + random.below(3);
      include(70, state.headHeight + 1, blocks);
      move(blocks);
    },
    fork() {
      const from = state.headHeight - random.below(FORK_DEPTH_MAX);
      const left = sent.filter(({ height }) => height !== undefined && height >= from);
      for (const one of left) one.height = undefined;
      // Another transaction has spent the same coins.
      const lost = new Set(left.filter(() => random.below(5) === 0));
      sent = sent.filter((one) => !lost.has(one));
      include(60, from, state.headHeight + 2 - from);
      forks.begin(from);
      move(1);
    },
    sweep(currency, address) {
      for (const { outputs, transactionId, height, ...one } of sent) {
        const key = `${transactionId}:${outputs.length - 1}`;
        const isDeep = height !== undefined && height <= state.headHeight - FORK_DEPTH_MAX;
        if (one.address !== address || !isDeep || state.spent.has(key)) continue;
        state.spent.add(key);
        swept.add({ ...one, currency });
      }
      return Promise.resolve();
    },
    makeFinal() {
      include(100, state.headHeight + 1, 1);
      move(BLOCKS_UNTIL_FINAL);
    },
    paid: () => sent,
  };
}

/** The last output pays us. */
function createPayment({ currency, address, units }: Payment, addressPrefix: string, random: Random): Sent {
  const name = `payment ${random.below(2 ** 31)}`;
  const toUs = { script: witnessScript(address, addressPrefix), value: Number(units) / SATOSHIS };
  const outputs = random.below(2) === 0 ? [toUs] : [{ script: FOREIGN, value: 0.5 }, toUs];
  const transactionId = toId(serializeTransaction(name, outputs).id);
  return { currency, address, units, name, outputs, transactionId, height: undefined };
}
