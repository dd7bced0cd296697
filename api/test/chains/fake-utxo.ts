/** A chain of generated blocks behind Bitcoin's JSON-RPC. They are serialized and hashed as real ones are, without proof of work. */
import { RawOldTx, RawTx } from '@scure/btc-signer/script.js';
import { createHash } from 'node:crypto';
import { type Methods, Refusal } from './fake-node.ts';

const SECONDS_PER_BLOCK = 600;
const WITNESS_SCRIPT = '0014';
/** Older blocks are not generated: the first one follows the genesis block. */
const BLOCKS_BEFORE = 5;
const SATOSHIS = 1e8;

export interface FakeOutput {
  script: string;
  /** As JSON shows it: a decimal number of coins. */
  value: number;
}

export interface FakeUtxoChain {
  headHeight: number;
  /** The time of blocks that are generated from now on is counted back from here. */
  headAt: Date;
  /** Another name makes another block of the same height. */
  forkAt: (height: number) => string;
  /** Heights below are deleted. */
  prunedHeight: number;
  isDownloading: boolean;
  /** How many transactions of each block pay two foreign addresses. All blocks share them, so that generating costs nothing. */
  foreignTransactions: number;
  /** Other transactions of a block beside its coinbase. */
  outputsAt: (height: number) => FakeOutput[][];
  /** After them, as a test has serialized them. */
  transactionsAt: (height: number) => readonly FakeTransaction[];
  /** Makes the id of each of them. */
  nameAt: (height: number, index: number) => string;
  /** Spent outputs, as `id:index`. */
  spent: Set<string>;
  /** Transactions by id. */
  pool: Map<string, unknown[]>;
  /** The sequence of the inputs of transactions in the pool. */
  sequence: number;
}

export function createFakeUtxoChain(changes: Partial<FakeUtxoChain> = {}): FakeUtxoChain {
  return {
    headHeight: 1000,
    headAt: new Date(),
    forkAt: () => 'a',
    prunedHeight: 0,
    isDownloading: false,
    foreignTransactions: 0,
    outputsAt: () => [],
    transactionsAt: () => [],
    nameAt: (height, index) => `${height} ${index}`,
    spent: new Set(),
    pool: new Map(),
    sequence: 0xffffffff,
    ...changes,
  };
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
export const doubleHash = (bytes: Uint8Array) => sha256(sha256(bytes));
export const toId = (bytes: Buffer) => Buffer.from(bytes.toReversed()).toString('hex');

export function hashOf(text: string): string {
  return sha256(text).toString('hex');
}

export const toOutput = ({ script, value }: FakeOutput, n: number) => ({ n, value, scriptPubKey: { hex: script } });

export interface FakeTransaction {
  id: Buffer;
  hex: string;
}

/** @param text makes it unique */
export function serializeTransaction(
  text: string,
  outputs: readonly FakeOutput[],
  isCoinbase = false,
): FakeTransaction {
  const input = isCoinbase
    ? { txid: new Uint8Array(32), index: 0xffffffff, finalScriptSig: Buffer.from(text), sequence: 0xffffffff }
    : { txid: sha256(text), index: 0, finalScriptSig: new Uint8Array(), sequence: 0xffffffff };
  const fields = {
    version: 2,
    inputs: [input],
    outputs: outputs.map(({ script, value }) => ({
      amount: BigInt(Math.round(value * SATOSHIS)),
      script: Buffer.from(script, 'hex'),
    })),
    lockTime: 0,
  };
  const witnesses = [[sha256(`witness of ${text}`)]];
  const hex = Buffer.from(RawTx.encode({ ...fields, segwitFlag: true, witnesses })).toString('hex');
  return { id: doubleHash(RawOldTx.encode(fields)), hex };
}

interface FakeBlock {
  height: number;
  hash: string;
  previousHash: string;
  time: number;
  hex: string;
}

const genesis = serializeBlock({ height: 0, previousHash: '00'.repeat(32), time: 1_231_006_505 }, [
  serializeTransaction('genesis', [], true),
]);
export const genesisHash = genesis.hash;

/** @param chain read at each call, so that a test may change it */
export function serveUtxo(chain: FakeUtxoChain): Methods {
  const blockAt = createGenerator(chain);
  const blockOf = (hash: string): FakeBlock => {
    const block = blockAt.byHash.get(hash);
    if (!block || blockAt(block.height).hash !== hash) throw new Refusal(-5, 'Block not found');
    return block;
  };

  return {
    getblockchaininfo: () => ({
      blocks: chain.headHeight,
      headers: chain.headHeight,
      bestblockhash: blockAt(chain.headHeight).hash,
      initialblockdownload: chain.isDownloading,
    }),
    getbestblockhash: () => blockAt(chain.headHeight).hash,
    getblockhash(height: number) {
      if (height > chain.headHeight) throw new Refusal(-8, 'Block height out of range');
      return blockAt(height).hash;
    },
    getblockheader(of: string) {
      const { hash, height, time, previousHash } = blockOf(of);
      return { hash, height, time, previousblockhash: previousHash };
    },
    getblock(hash: string) {
      const { height, hex } = blockOf(hash);
      if (height < chain.prunedHeight) throw new Refusal(-1, 'Block not available (pruned data)');
      return hex;
    },
    scantxoutset: (action: string, descriptors: readonly string[] = []) =>
      action === 'start'
        ? { success: true, height: chain.headHeight, unspents: listUnspent(chain, descriptors) }
        : null,
    getrawmempool: () => [...chain.pool.keys()],
    getrawtransaction(txid: string) {
      const vout = chain.pool.get(txid);
      if (!vout) throw new Refusal(-5, 'No such mempool transaction');
      return { txid, vin: [{ sequence: chain.sequence }], vout };
    },
  };
}

/** @param descriptors `raw(SCRIPT)` */
function listUnspent(chain: FakeUtxoChain, descriptors: readonly string[]) {
  const scripts = new Set(descriptors.map((one) => one.slice('raw('.length, -1)));
  const heights = Array.from({ length: chain.headHeight + 1 }, (_, height) => height);
  return heights.flatMap((height) =>
    chain.outputsAt(height).flatMap((outputs, index) => {
      const txid = toId(serializeTransaction(chain.nameAt(height, index), outputs).id);
      return outputs.flatMap(({ script, value }, vout) =>
        scripts.has(script) && !chain.spent.has(`${txid}:${vout}`)
          ? [{ txid, vout, scriptPubKey: script, amount: value, height }]
          : [],
      );
    }),
  );
}

/** Blocks stay as they were when they were first asked for. */
function createGenerator(chain: FakeUtxoChain) {
  const firstHeight = chain.headHeight - BLOCKS_BEFORE;
  const known = new Map<string, FakeBlock>();
  const byHash = new Map([[genesis.hash, genesis]]);
  const addForeign = createForeign(chain.foreignTransactions);

  function blockAt(height: number): FakeBlock {
    if (height < firstHeight) return genesis;
    const key = `${chain.forkAt(height)} ${height}`;
    const existing = known.get(key);
    if (existing) return existing;
    const time = Math.floor(chain.headAt.getTime() / 1000) - (chain.headHeight - height) * SECONDS_PER_BLOCK;
    const coinbase = serializeTransaction(key, [{ script: WITNESS_SCRIPT + 'cb'.repeat(20), value: 3.125 }], true);
    const paying = chain
      .outputsAt(height)
      .map((outputs, index) => serializeTransaction(chain.nameAt(height, index), outputs));
    const header = { height, previousHash: blockAt(height - 1).hash, time };
    const block = addForeign(header, coinbase, [...paying, ...chain.transactionsAt(height)]);
    known.set(key, block);
    byHash.set(block.hash, block);
    return block;
  }
  return Object.assign(blockAt, { byHash });
}

type Header = Pick<FakeBlock, 'height' | 'previousHash' | 'time'>;

/** Most blocks differ in their coinbase only, so that its branch of the Merkle tree is enough. */
function createForeign(count: number) {
  const outputs = [0, 1].map(() => ({ script: WITNESS_SCRIPT + 'ab'.repeat(20), value: 0.12345678 }));
  const foreign = Array.from({ length: count }, (_, index) => serializeTransaction(`foreign ${index}`, outputs));
  const foreignHex = foreign.map(({ hex }) => hex).join('');
  const branch: Buffer[] = [];
  merkleRoot([Buffer.alloc(32), ...foreign.map(({ id }) => id)], branch);
  return (header: Header, coinbase: FakeTransaction, paying: readonly FakeTransaction[]): FakeBlock => {
    if (paying.length > 0) return serializeBlock(header, [coinbase, ...foreign, ...paying]);
    const root = branch.reduce((node, sibling) => doubleHash(Buffer.concat([node, sibling])), coinbase.id);
    return assembleBlock(header, root, 1 + count, coinbase.hex + foreignHex);
  };
}

export function serializeBlock(header: Header, transactions: readonly FakeTransaction[]): FakeBlock {
  const root = merkleRoot(transactions.map(({ id }) => id));
  return assembleBlock(header, root, transactions.length, transactions.map(({ hex }) => hex).join(''));
}

function assembleBlock(header: Header, root: Buffer, count: number, transactionsHex: string): FakeBlock {
  const bytes = Buffer.alloc(80);
  bytes.writeUInt32LE(2, 0);
  bytes.set(Buffer.from(header.previousHash, 'hex').toReversed(), 4);
  root.copy(bytes, 36);
  bytes.writeUInt32LE(header.time, 68);
  const size = Buffer.from([0xfd, count & 0xff, count >> 8]);
  return {
    ...header,
    hash: toId(doubleHash(bytes)),
    hex: bytes.toString('hex') + size.toString('hex') + transactionsHex,
  };
}

/** @param branch gets the second node of each level */
function merkleRoot(ids: readonly Buffer[], branch?: Buffer[]): Buffer {
  if (ids.length === 1) return ids[0]!;
  branch?.push(ids[1]!);
  const parents: Buffer[] = [];
  for (let index = 0; index < ids.length; index += 2)
    parents.push(doubleHash(Buffer.concat([ids[index]!, ids[index + 1] ?? ids[index]!])));
  return merkleRoot(parents, branch);
}
