/**
 * Measures how fast the watchers of chains catch up after an outage: blocks per second and memory, with many watched addresses. The
 * nodes are generated chains behind the real protocol, in a process of their own.
 *
 * Usage: npm run bench:payments -- [blocks] [addresses] [chain]
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createEvmWatcher } from '../../api/src/payments/chains/evm.ts';
import { createTronWatcher } from '../../api/src/payments/chains/tron/tron-watcher.ts';
import { createUtxoWatcher } from '../../api/src/payments/chains/utxo-rpc.ts';
import type { ChainWatcher } from '../../api/src/payments/chains/watcher.ts';
import { randomTronAddress } from '../../api/test/chains/tron/local-tron.ts';
import { randomWitnessAddress } from '../../api/test/chains/utxo-wallet.ts';
import type { NodeMessage, NodeSettings } from './node.ts';

const BLOCKS = Number(process.argv[2] ?? 10_000);
const ADDRESSES = Number(process.argv[3] ?? 20_000);
const ONLY = process.argv[4] ?? '';
/** The generated chains have no new blocks while the watcher catches up. */
const HEAD_AGE_MAX_MS = 3_600_000;
/** One of that many blocks pays one of our addresses. */
const BLOCKS_PER_PAYMENT = 50;
const MEMORY_INTERVAL_MS = 20;
const MIB = 2 ** 20;
const signal = new AbortController().signal;

interface Subject {
  name: string;
  /** Transactions of a block that pay others: an average block of the chain. */
  foreignTransactions: number;
  settings: Pick<NodeSettings, 'kind' | 'chainId'>;
  createAddress: () => string;
  blocksPerDay: number;
  /** Fewer than the default, because its blocks are large. */
  blocksMax?: number;
  open: (node: NodeMessage) => ChainWatcher;
}

const evmAddress = () => `0x${randomBytes(20).toString('hex')}`;
const witnessAddress = (bech32: string) => () => randomWitnessAddress({ bech32, pubKeyHash: 0, scriptHash: 0, wif: 0 });
const evm = (chain: 'ethereum' | 'bsc') => (node: NodeMessage) =>
  createEvmWatcher({ chain, urls: node.urls, usdtContract: node.token, headAgeMaxMs: HEAD_AGE_MAX_MS });
const utxo = (chain: 'bitcoin' | 'litecoin', addressPrefix: string) => (node: NodeMessage) =>
  createUtxoWatcher({ chain, urls: node.urls.slice(0, 1), network: { genesisHash: node.genesisHash, addressPrefix } });

const subjects: Subject[] = [
  {
    name: 'ethereum (ETH and USDT), two nodes',
    foreignTransactions: 200,
    blocksPerDay: 7200,
    settings: { kind: 'evm', chainId: 1 },
    createAddress: evmAddress,
    open: evm('ethereum'),
  },
  {
    name: 'bsc (USDT), two nodes',
    foreignTransactions: 0,
    blocksPerDay: 192_000,
    settings: { kind: 'evm', chainId: 56 },
    createAddress: evmAddress,
    open: evm('bsc'),
  },
  {
    name: 'bitcoin, one node',
    foreignTransactions: 2000,
    blocksPerDay: 144,
    settings: { kind: 'utxo', chainId: 0 },
    createAddress: witnessAddress('bc'),
    open: utxo('bitcoin', 'bc'),
  },
  {
    name: 'litecoin, one node',
    foreignTransactions: 200,
    blocksPerDay: 576,
    settings: { kind: 'utxo', chainId: 0 },
    createAddress: witnessAddress('ltc'),
    open: utxo('litecoin', 'ltc'),
  },
  {
    name: 'tron (TRX and USDT), two nodes',
    foreignTransactions: 300,
    blocksPerDay: 28_800,
    // An hour.
    blocksMax: 1200,
    settings: { kind: 'tron', chainId: 0 },
    createAddress: randomTronAddress,
    // Before the outage its newest block is an hour old.
    open: ({ urls }) => createTronWatcher({ urls, now: () => new Date(0) }),
  },
];

console.log(`${BLOCKS} blocks, ${ADDRESSES} addresses, a payment in every ${BLOCKS_PER_PAYMENT}th block\n`);
const titles = [
  'Chain',
  'Transactions per block',
  'Blocks',
  'Blocks per second',
  'Milliseconds per block',
  'Caught up after',
  'A day of blocks',
  'Peak memory (RSS)',
  'Payments',
];
console.log(`| ${titles.join(' | ')} |`);
console.log(`| --- |${' ---: |'.repeat(titles.length - 1)}`);
for (const subject of subjects) if (subject.name.startsWith(ONLY)) console.log(await measure(subject));

async function measure(subject: Subject): Promise<string> {
  const { name, foreignTransactions, settings, createAddress, open, blocksPerDay } = subject;
  const blocks = Math.min(BLOCKS, subject.blocksMax ?? BLOCKS);
  const addresses = Array.from({ length: ADDRESSES }, createAddress);
  const paid = addresses.filter((_, index) => index < blocks / BLOCKS_PER_PAYMENT);
  const child = fork(new URL('node.ts', import.meta.url), { execArgv: process.execArgv });
  try {
    const send = (settings: NodeSettings | 'ADVANCE') => {
      child.send(settings);
      return once(child, 'message') as Promise<[NodeMessage]>;
    };
    const blocksPerPayment = BLOCKS_PER_PAYMENT;
    const [node] = await send({ ...settings, foreignTransactions, blocks, blocksPerPayment, paid });
    const watcher = open(node);
    const watched = new Set(addresses);
    let { cursor } = await watcher.poll(null, watched, signal);
    await send('ADVANCE');

    let peakBytes = 0;
    const timer = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), MEMORY_INTERVAL_MS);
    const startedAt = performance.now();
    const found = new Set<string>();
    for (let isBehind = true; isBehind;) {
      const poll = await watcher.poll(cursor, watched, signal);
      ({ cursor } = poll);
      for (const { transactionId, output } of poll.payments) found.add(`${transactionId} ${output}`);
      isBehind = poll.scannedHeight < poll.head.height;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(timer);
    if (found.size !== paid.length) throw new Error(`${name}: ${found.size} of ${paid.length} payments were found`);
    const columns = [
      name,
      foreignTransactions,
      blocks,
      Math.round(blocks / seconds),
      ((seconds * 1000) / blocks).toFixed(1),
      `${seconds.toFixed(1)} s`,
      `${Math.round((seconds / blocks) * blocksPerDay)} s`,
      `${Math.round(peakBytes / MIB)} MiB`,
      found.size,
    ];
    return `| ${columns.join(' | ')} |`;
  } finally {
    child.kill();
  }
}
