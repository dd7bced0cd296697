/** Generated chains of Bitcoin and Litecoin, for tests with hostile sources. */
import type { Random } from '../../../tools/random.ts';
import { createUtxoWatcher } from '../../src/payments/chains/utxo-rpc.ts';
import { type ChainWith, descriptors } from '../../src/payments/chains/descriptors.ts';
import { witnessScript } from '../../src/payments/chains/utxo-node.ts';
import {
  createFakeUtxoChain,
  type FakeOutput,
  genesisHash,
  serializeTransaction,
  serveUtxo,
  toId,
  toOutput,
} from './fake-utxo.ts';
import type { GeneratedChain, Truth } from './hostile-sources.ts';
import { listenHonestly } from './honest-nodes.ts';
import { pretends } from './lies.ts';
import { PATIENT_MS } from './patience.ts';

const DAY_MS = 86_400_000;
const BLOCK_MS = 600_000;
const SATOSHIS = 1e8;
const FOREIGN = `0014${'ab'.repeat(20)}`;

/** @param ours addresses of the chain's main network */
export async function openUtxo(
  name: ChainWith<'utxo'>,
  addressPrefix: string,
  ours: readonly string[],
): Promise<GeneratedChain> {
  const scripts = new Map(ours.map((address) => [witnessScript(address, addressPrefix), address]));
  const { chain, ...state } = createState(Object.keys(descriptors[name].currencies)[0]!, scripts);
  const other = createFakeUtxoChain({ forkAt: () => 'other', headHeight: 1050 });
  return {
    ...(await listenHonestly(serveUtxo(chain), serveUtxo(other))),
    ...state,
    addresses: new Set(ours),
    createWatcher: (urls) =>
      createUtxoWatcher({
        chain: name,
        urls,
        network: { genesisHash, addressPrefix },
        headAgeMaxMs: 3 * DAY_MS,
        timeoutMs: PATIENT_MS,
      }),
    isFinal: ({ block }, { head }) => head.height - block!.height + 1 >= 6,
    lies: {
      'pretends that we were paid': pretends([...scripts.keys()].map((script) => [FOREIGN, script])),
      'hides what we were paid': pretends([...scripts.keys()].map((script) => [script, FOREIGN])),
    },
  };
}

/** @param scripts to our addresses */
function createState(asset: string, scripts: ReadonlyMap<string, string>) {
  const paid = new Map<number, FakeOutput[][]>();
  const outputsAt = (height: number) => paid.get(height) ?? [];
  const headAt = new Date(Date.now() - 2 * DAY_MS);
  const chain = createFakeUtxoChain({ foreignTransactions: 2, headAt, outputsAt });

  function move(blocks: number): void {
    chain.headHeight += blocks;
    chain.headAt = new Date(chain.headAt.getTime() + blocks * BLOCK_MS);
    chain.pool.clear();
  }
  function timeOf(height: number): Date {
    const headSeconds = Math.floor(chain.headAt.getTime() / 1000);
    return new Date(headSeconds * 1000 - (chain.headHeight - height) * BLOCK_MS);
  }
  /** Payments of the next block are in the memory pool. */
  function pay(random: Random, height: number): void {
    const outputs = Array.from({ length: 1 + random.below(3) }, () => ({
      script: random.pick([...scripts.keys(), FOREIGN]),
      value: (1 + random.below(1000)) / SATOSHIS,
    }));
    const transactions = [...outputsAt(height), outputs];
    paid.set(height, transactions);
    const id = idOf(height, transactions.length - 1, outputs);
    if (height === chain.headHeight + 1) chain.pool.set(id, outputs.map(toOutput));
  }
  const truthsOf = (height: number, index: number, outputs: readonly FakeOutput[]): Truth[] =>
    outputs.flatMap(({ script, value }, output) => {
      const address = scripts.get(script);
      if (address === undefined) return [];
      const units = BigInt(Math.round(value * SATOSHIS));
      const block = { height, time: timeOf(height) };
      return [{ asset, transactionId: idOf(height, index, outputs), output, address, units, block }];
    });

  return {
    chain,
    advance(random: Random) {
      move(1 + random.below(4));
      for (let payment = random.below(5); payment > 0; payment -= 1)
        pay(random, chain.headHeight + 1 + random.below(3));
    },
    makeFinal: () => move(10),
    truths: () =>
      [...paid].flatMap(([height, transactions]) =>
        height > chain.headHeight ? [] : transactions.flatMap((outputs, index) => truthsOf(height, index, outputs)),
      ),
  };
}

const idOf = (height: number, index: number, outputs: readonly FakeOutput[]) =>
  toId(serializeTransaction(`${height} ${index}`, outputs).id);
