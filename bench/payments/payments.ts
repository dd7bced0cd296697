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
import { createUtxoWatcher } from '../../api/src/payments/chains/utxo-rpc.ts';
import type { ChainWatcher } from '../../api/src/payments/chains/watcher.ts';
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
    settings: { kind: 'evm', chainId: 1 },
    createAddress: evmAddress,
    open: evm('ethereum'),
  },
  {
    name: 'bsc (USDT), two nodes',
    foreignTransactions: 0,
    settings: { kind: 'evm', chainId: 56 },
    createAddress: evmAddress,
    open: evm('bsc'),
  },
  {
    name: 'bitcoin, one node',
    foreignTransactions: 2000,
    settings: { kind: 'utxo', chainId: 0 },
    createAddress: witnessAddress('bc'),
    open: utxo('bitcoin', 'bc'),
  },
  {
    name: 'litecoin, one node',
    foreignTransactions: 200,
    settings: { kind: 'utxo', chainId: 0 },
    createAddress: witnessAddress('ltc'),
    open: utxo('litecoin', 'ltc'),
  },
];

console.log(`${BLOCKS} blocks, ${ADDRESSES} addresses, a payment in every ${BLOCKS_PER_PAYMENT}th block\n`);
console.log('| Chain | Transactions per block | Blocks per second | Caught up after | Peak memory (RSS) | Payments |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
for (const subject of subjects) if (subject.name.startsWith(ONLY)) console.log(await measure(subject));

async function measure({ name, foreignTransactions, settings, createAddress, open }: Subject): Promise<string> {
  const addresses = Array.from({ length: ADDRESSES }, createAddress);
  const paid = addresses.filter((_, index) => index < BLOCKS / BLOCKS_PER_PAYMENT);
  const child = fork(new URL('node.ts', import.meta.url), { execArgv: process.execArgv });
  try {
    const send = (settings: NodeSettings | 'ADVANCE') => {
      child.send(settings);
      return once(child, 'message') as Promise<[NodeMessage]>;
    };
    const blocksPerPayment = BLOCKS_PER_PAYMENT;
    const [node] = await send({ ...settings, foreignTransactions, blocks: BLOCKS, blocksPerPayment, paid });
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
    const columns = [foreignTransactions, Math.round(BLOCKS / seconds), `${seconds.toFixed(1)} s`];
    return `| ${[name, ...columns, `${Math.round(peakBytes / MIB)} MiB`, found.size].join(' | ')} |`;
  } finally {
    child.kill();
  }
}
