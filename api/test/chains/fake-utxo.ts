/** A chain of generated blocks behind Bitcoin's JSON-RPC. */
import { createHash } from 'node:crypto';
import { type Methods, Refusal } from './fake-node.ts';

const SECONDS_PER_BLOCK = 600;
const WITNESS_SCRIPT = '0014';

export interface FakeOutput {
  script: string;
  /** As JSON shows it: a decimal number, which a test may write as text with an exponent. */
  value: number;
}

export interface FakeUtxoChain {
  headHeight: number;
  headAt: Date;
  fork: string;
  /** Heights below are deleted. */
  prunedHeight: number;
  isDownloading: boolean;
  /** How many transactions of each block pay two foreign addresses. All blocks share them, so that generating costs nothing. */
  foreignTransactions: number;
  /** Other transactions of a block beside its coinbase. */
  outputsAt: (height: number) => FakeOutput[][];
  /** Transactions by id. */
  pool: Map<string, unknown[]>;
  /** The sequence of the inputs of transactions in the pool. */
  sequence: number;
}

export const genesisHash = hashOf('genesis');

export function createFakeUtxoChain(changes: Partial<FakeUtxoChain> = {}): FakeUtxoChain {
  return {
    headHeight: 1000,
    headAt: new Date(),
    fork: 'a',
    prunedHeight: 0,
    isDownloading: false,
    foreignTransactions: 0,
    outputsAt: () => [],
    pool: new Map(),
    sequence: 0xffffffff,
    ...changes,
  };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export const toOutput = ({ script, value }: FakeOutput, n: number) => ({ n, value, scriptPubKey: { hex: script } });

/** @param chain read at each call, so that a test may change it */
export function serveUtxo(chain: FakeUtxoChain): Methods {
  const heights = new Map<string, number>();
  const blockHash = (height: number) => {
    const hash = height === 0 ? genesisHash : hashOf(`${chain.fork} ${height}`);
    heights.set(hash, height);
    return hash;
  };
  const header = (hash: string) => {
    const height = heights.get(hash);
    if (height === undefined || blockHash(height) !== hash) throw new Refusal(-5, 'Block not found');
    const time = Math.floor(chain.headAt.getTime() / 1000) - (chain.headHeight - height) * SECONDS_PER_BLOCK;
    return { hash, height, time, previousblockhash: blockHash(height - 1) };
  };
  const foreignOutputs = [0, 1].map((n) =>
    toOutput({ script: WITNESS_SCRIPT + 'ab'.repeat(20), value: 0.12345678 }, n),
  );
  const foreign = Array.from({ length: chain.foreignTransactions }, (_, index) => ({
    txid: hashOf(`foreign ${index}`),
    vin: [{}],
    vout: foreignOutputs,
  }));
  const coinbase = (height: number) => ({
    txid: hashOf(`coinbase ${chain.fork} ${height}`),
    vin: [{ coinbase: '00' }],
    vout: [toOutput({ script: WITNESS_SCRIPT + 'cb'.repeat(20), value: 3.125 }, 0)],
  });

  return {
    getblockchaininfo: () => ({
      blocks: chain.headHeight,
      headers: chain.headHeight,
      bestblockhash: blockHash(chain.headHeight),
      initialblockdownload: chain.isDownloading,
    }),
    getbestblockhash: () => blockHash(chain.headHeight),
    getblockhash(height: number) {
      if (height > chain.headHeight) throw new Refusal(-8, 'Block height out of range');
      return blockHash(height);
    },
    getblockheader: header,
    getblock(hash: string) {
      const { height, ...rest } = header(hash);
      if (height < chain.prunedHeight) throw new Refusal(-1, 'Block not available (pruned data)');
      const transactions = chain.outputsAt(height).map((outputs, index) => ({
        txid: hashOf(`${height} ${index}`),
        vin: [{}],
        vout: outputs.map(toOutput),
      }));
      return { height, ...rest, confirmations: 1, tx: [coinbase(height), ...foreign, ...transactions] };
    },
    getrawmempool: () => [...chain.pool.keys()],
    getrawtransaction(txid: string) {
      const vout = chain.pool.get(txid);
      if (!vout) throw new Refusal(-5, 'No such mempool transaction');
      return { txid, vin: [{ sequence: chain.sequence }], vout };
    },
  };
}
