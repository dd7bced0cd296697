import { createUtxoWatcher, type UtxoWatcherOptions } from '../../src/payments/chains/utxo-rpc.ts';
import type { LocalChain } from './local-chain.ts';
import { waitFor } from './local-node.ts';
import type { Rpc } from './rpc.ts';
import { createUtxoWallet, type Network, randomWitnessAddress } from './utxo-wallet.ts';

/** The rule for small amounts. */
const CONFIRMATIONS_FINAL = 6;
const UNITS = 25_000_000n;

export interface UtxoChainOptions {
  name: string;
  chain: UtxoWatcherOptions['chain'];
  asset: 'BTC' | 'LTC';
  url: string;
  rpc: Rpc;
  network: Network;
  /** Nodes relay no smaller output. */
  dustUnits: bigint;
  /** Mines blocks with what is in the memory pool. */
  generate: (blocks: number, address: string) => Promise<string[]>;
  /** Mines a block without it. */
  generateEmpty: (address: string) => Promise<unknown>;
  end: () => Promise<void>;
}

/** The parts that litecoind and bcoin have in common. */
export async function openUtxoChain(options: UtxoChainOptions) {
  const { rpc, network, url, dustUnits } = options;
  const wallet = createUtxoWallet(rpc, network);
  const genesisHash = await rpc('getblockhash', 0);
  const isPooled = async (transactionId: string) => {
    const ids = await rpc<string[]>('getrawmempool');
    if (!ids.includes(transactionId)) throw new Error(`${transactionId} is not in the memory pool`);
    return transactionId;
  };
  const pooled = async (transactionId: string) => waitFor('the memory pool', 10_000, () => isPooled(transactionId));

  const chain: LocalChain = {
    name: options.name,
    asset: options.asset,
    hasMemoryPool: true,
    showsTransactionOfBatch: true,
    units: UNITS,
    dustUnits,
    blocksUntilFinal: CONFIRMATIONS_FINAL + 1,
    isFinal: ({ block, confirmationsMin = 0 }, { head }) =>
      head.height - block!.height + 1 >= Math.max(CONFIRMATIONS_FINAL, confirmationsMin),
    url,
    createWatcher: (urls = [url]) =>
      createUtxoWatcher({ chain: options.chain, urls, network: { genesisHash, addressPrefix: network.bech32 } }),
    newAddress: async () => randomWitnessAddress(network),
    pay: async (...payouts) => pooled(await wallet.pay(payouts)),
    mine: async (blocks) => void (await options.generate(blocks, wallet.address)),
    async reorganise(depth) {
      const height = await rpc<number>('getblockcount');
      await rpc('invalidateblock', await rpc('getblockhash', height - depth + 1));
      for (let block = 0; block <= depth; block += 1) await options.generateEmpty(wallet.address);
    },
    async includeAgain(transactionId) {
      await rpc('sendrawtransaction', wallet.rawOf(transactionId)).catch(() => undefined);
      await pooled(transactionId);
      await options.generate(1, wallet.address);
    },
    fakePayments: {
      'the legacy address of the same key': async (address) =>
        pooled(await wallet.payLegacy({ address, units: UNITS })),
    },
    replace: async (transactionId, payout) => pooled(await wallet.replace(transactionId, payout)),
    end: options.end,
  };
  return { chain, wallet };
}

/** Mines coins for the test's payments. */
export async function mineCoins(
  { rpc, generate }: UtxoChainOptions,
  wallet: ReturnType<typeof createUtxoWallet>,
  blocks: number,
): Promise<void> {
  for (const hash of await generate(blocks, wallet.address)) {
    const [txid] = (await rpc<{ tx: string[] }>('getblock', hash)).tx as [string];
    const { vout } = await rpc<{ vout: { value: number }[] }>('getrawtransaction', txid, true);
    wallet.addCoin({ txid, index: 0, amount: BigInt(Math.round(vout[0]!.value * 1e8)) });
  }
}
