/** Watches Ethereum and BSC: tokens by logs, the native coin by transactions and balances. Rules: docs/chains.md. */
import { createTransferReader } from './evm-logs.ts';
import { address, createEvmNode, type EvmHeader, type EvmNode } from './evm-node.ts';
import { type Chain, cursorAt, pollChain } from './evm-poll.ts';
import {
  type Addresses,
  readNativePayments,
  readTokenPayments,
  readTransactionPayments,
  type Reading,
} from './evm-reader.ts';
import { checkEvmSource, type EvmHead } from './evm-check.ts';
import { BALANCE_LIMITS, describeEvmHoldings, readAgreedBalances } from './evm-holdings.ts';
import { currencyRules } from '../currencies.ts';
import type { EvmRules } from './chain.ts';
import { blocksIn, type ChainWith, descriptors } from './descriptors.ts';
import { readAgreedDecimals } from './evm-token.ts';
import { identifyHeader } from './evm-transactions.ts';
import { createFurtherLook } from './further-sources.ts';
import type { TransportLimits } from './http-transport.ts';
import { agree, confirmBySources, createSources, type Probed } from './sources.ts';
import { ChainUnavailable, type ChainWatcher, isUnexplained, type ObservedPayment } from './watcher.ts';

export interface EvmWatcherOptions extends TransportLimits {
  chain: ChainWith<'evm'>;
  /** Two independent providers must agree; a third one replaces one that fails. */
  urls: readonly string[];
  usdtContract: string;
  /** The operator's own addresses: their transactions, such as gas for a sweep, are not payments. */
  fundingAddresses?: readonly string[];
  /** An older newest block means that the node does not follow the chain. */
  headAgeMaxMs?: number;
  now?: () => Date;
}

/** Nodes may return newer blocks before they have indexed their logs, and the servers of one provider differ by seconds. */
const BEHIND_HEAD_MS = 5000;
const BLOCKS_BEHIND_HEAD_MIN = 2;

/** The settings of a watcher, with defaults, and its nodes. */
interface Watched extends Omit<Reading, 'nodes' | 'signal' | 'headerAt'> {
  name: ChainWith<'evm'>;
  rules: EvmRules;
  /** Of the token. */
  decimals: number;
  nodes: readonly EvmNode[];
  headAgeMaxMs: number;
  lookFurther: Chain['lookFurther'];
}

export function createEvmWatcher(options: EvmWatcherOptions): ChainWatcher {
  const watched = prepare(options);
  const { nodes } = watched;
  const sources = createSources(nodes, ({ latest, safeHeight, finalizedHeight }: EvmHead) => ({
    'newest block': latest.number,
    'safe block': safeHeight,
    'final block': finalizedHeight,
  }));
  const probeWith = (signal: AbortSignal) => (node: EvmNode) => readHead(watched, node, signal);
  const withChain = <Result>(signal: AbortSignal, run: (chain: Chain) => Promise<Result>) =>
    sources.use(probeWith(signal), async (used) => run(await openChain(watched, used, signal)));
  return {
    async poll(cursor, addresses, signal) {
      const ours = oursOf(addresses);
      return sources.poll(probeWith(signal), async (used) =>
        pollChain(await openChain(watched, used, signal), cursor, ours, watched.rules.blocksPerPoll),
      );
    },
    async confirm(payment, signal) {
      if (nodes.length > 1 && isUnexplained(payment))
        return withChain(signal, (chain) => confirmUnexplained(chain, payment));
      return confirmBySources(nodes, (node) => isReportedBy(payment, toReading(watched, [node], signal)));
    },
    tokenDecimals: (signal) => withChain(signal, ({ head, reading }) => readAgreedDecimals(reading, head.height)),
    balanceLimits: BALANCE_LIMITS,
    balances: (asset, addresses, signal) =>
      withChain(signal, ({ head, reading }) => readAgreedBalances(reading, head.finalizedHeight, asset, addresses)),
    cursorAt: (height, signal) => withChain(signal, (chain) => cursorAt(chain, height)),
    check: async (signal) => {
      const checkSource = (node: EvmNode) =>
        checkEvmSource(node, watched, () => readHead(watched, node, signal), signal);
      return (await Promise.all(nodes.map(checkSource))).flat();
    },
    describeHoldings: (held, signal) =>
      withChain(signal, ({ head, reading }) => describeEvmHoldings(options, reading, head.finalizedHeight, held)),
  };
}

function prepare(options: EvmWatcherOptions): Watched {
  const { evm: rules, token } = descriptors[options.chain];
  const contract = address.parse(options.usdtContract);
  const nodes = options.urls.map((url) => createEvmNode(url, options));
  const readers = new Map(nodes.map((node) => [node, createTransferReader(node, contract)]));
  return {
    name: options.chain,
    rules,
    decimals: currencyRules[token.currency].decimals,
    nodes,
    contract,
    hasNativeCoin: rules.hasNativeCoin,
    fundingAddresses: new Set(options.fundingAddresses?.map((one) => address.parse(one))),
    headAgeMaxMs: options.headAgeMaxMs ?? rules.headAgeMaxMs,
    now: options.now ?? (() => new Date()),
    lookFurther: createFurtherLook(),
    transferReaderFor: (node) => readers.get(node)!,
  };
}

const toReading = (watched: Watched, nodes: readonly EvmNode[], signal: AbortSignal): Reading => ({
  ...watched,
  nodes,
  signal,
  headerAt: (height) => agreedHeader(nodes, height, signal),
});

async function readHead({ rules, now, headAgeMaxMs }: Watched, node: EvmNode, signal: AbortSignal): Promise<EvmHead> {
  const { name } = node.rpc;
  const chainId = await node.chainId(signal);
  if (chainId !== rules.chainId) {
    throw new ChainUnavailable('INVALID_RESPONSE', `${name} serves chain ${chainId}, not ${rules.chainId}`);
  }
  const [latest, safe, finalized] = await Promise.all(
    (['latest', 'safe', 'finalized'] as const).map((tag) => node.header(tag, signal)),
  );
  if (!latest || !safe || !finalized) {
    throw new ChainUnavailable('LAGGING', `${name} has no ${latest ? 'finalized' : 'latest'} block`);
  }
  const ageMs = now().getTime() - latest.timestamp.getTime();
  if (ageMs > headAgeMaxMs) {
    throw new ChainUnavailable('LAGGING', `${name} lags: its newest block is ${Math.round(ageMs / 1000)} seconds old`);
  }
  return { latest, safeHeight: safe.number, finalizedHeight: finalized.number };
}

async function openChain(
  watched: Watched,
  sources: readonly Probed<EvmNode, EvmHead>[],
  signal: AbortSignal,
): Promise<Chain> {
  const nodes = sources.map(({ node }) => node);
  const reading = toReading(watched, nodes, signal);
  const least = (read: (head: EvmHead) => number) => Math.min(...sources.map(({ head }) => read(head)));
  const behindHead = Math.max(BLOCKS_BEHIND_HEAD_MIN, blocksIn(watched.name, BEHIND_HEAD_MS));
  const latestHeight = least(({ latest }) => latest.number);
  const { number, hash, timestamp } = await reading.headerAt(Math.max(0, latestHeight - behindHead));
  const finalMax = Math.max(0, latestHeight - watched.rules.finalityDepth);
  const head = {
    height: number,
    hash,
    time: timestamp,
    safeHeight: Math.min(
      least((head) => head.safeHeight),
      finalMax,
      number,
    ),
    finalizedHeight: Math.min(
      least((head) => head.finalizedHeight),
      finalMax,
      number,
    ),
  };
  const readingOf = (some: readonly EvmNode[]) => toReading(watched, some, signal);
  return { head, reading, readingOf, allNodes: watched.nodes, lookFurther: watched.lookFurther };
}

/** Reads only the asset of the payment. */
async function isReportedBy(payment: ObservedPayment, reading: Reading): Promise<boolean> {
  const { block, asset } = payment;
  if (!block) return false;
  const range = { fromHeight: block.height, toHeight: block.height };
  const read = asset === 'USDT' ? readTokenPayments : readTransactionPayments;
  const { payments } = await read(reading, range, oursOf([payment.address]));
  return payments.some((one) => isSamePayment(one, payment));
}

/** By two sources together, because one with states is enough if it proves them. */
async function confirmUnexplained({ reading }: Chain, payment: ObservedPayment): Promise<boolean> {
  const { block, address } = payment;
  if (!block) return false;
  const range = { fromHeight: block.height, toHeight: block.height };
  const { payments, hasStates } = await readNativePayments(reading, range, oursOf([address]), { needsStates: true });
  if (hasStates) return payments.some((one) => isSamePayment(one, payment));
  throw new ChainUnavailable(
    'PRUNED',
    `no source proves the states of block ${block.height}: one with an archive is needed`,
  );
}

async function agreedHeader(nodes: readonly EvmNode[], height: number, signal: AbortSignal): Promise<EvmHeader> {
  const read = async (node: EvmNode) => {
    const header = await node.header(height, signal);
    if (header?.number === height) return header;
    throw new ChainUnavailable('LAGGING', `${node.rpc.name} does not have block ${height}`);
  };
  return agree(nodes, `block ${height}`, read, identifyHeader);
}

/** Lower case -> the form in which they were given. */
const oursOf = (addresses: Iterable<string>): Addresses =>
  new Map([...addresses].map((one) => [one.toLowerCase(), one]));

function isSamePayment(a: ObservedPayment, b: ObservedPayment): boolean {
  return (
    a.asset === b.asset &&
    a.transactionId === b.transactionId &&
    a.output === b.output &&
    a.address === b.address &&
    a.units === b.units &&
    a.block?.hash === b.block?.hash
  );
}
