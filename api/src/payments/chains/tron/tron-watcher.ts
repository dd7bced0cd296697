/** Watches TRON: TRX by blocks that prove themselves, USDT by logs of two sources. Rules: docs/chains.md. */
import { createFurtherLook } from '../further-sources.ts';
import type { TransportLimits } from '../http-transport.ts';
import { confirmBySources, createSources, type Probed } from '../sources.ts';
import type { ChainWatcher } from '../watcher.ts';
import { readBalances } from './balances.ts';
import { createRequestSizes } from './bodies.ts';
import { checkTronSource, type NodeHead } from './check.ts';
import { isReportedBy } from './confirmation.ts';
import { readDecimals } from './decimals.ts';
import { describeTronHoldings } from './holdings.ts';
import { requireLogIndex } from './log-index.ts';
import { MAINNET_CHAIN_ID, toHexAddress, USDT_ADDRESS } from './network.ts';
import { type Addresses, type Chain, cursorAt, pollChain } from './poll.ts';
import { createTokenMemory, type TokenReading } from './token-payments.ts';
import { createTronNode, failOf, type TronNode } from './tron-node.ts';

export interface TronWatcherOptions extends TransportLimits {
  /** Two independent sources must agree; a third one replaces one that fails. */
  urls: readonly string[];
  usdtContract?: string;
  /** The operator's own addresses: TRX from them, such as for the energy of a sweep, is no payment. */
  fundingAddresses?: readonly string[];
  chainId?: number;
  /** Of the requests for what addresses hold, to each source. Providers suspend those who ask for more. */
  requestsPerSecond?: number;
  now?: () => Date;
}

/** Nodes may return the newest blocks before they have indexed their logs (java-tron#4969). */
const BLOCKS_BEHIND_HEAD = 2;
/** 20 slots of 3 s. */
const HEAD_AGE_MAX_MS = 60_000;
const LOG_INDEX_CHECKED_EVERY_MS = 10 * 60_000;
/** TronGrid accepts 15 requests per second and key. */
const REQUESTS_PER_SECOND = 8;
/** Twice 13 s, and up to three times. */
const BALANCE_LIMITS = { addressesMax: 100, timeMs: 120_000 };

type Sources = readonly Probed<TronNode, NodeHead>[];

/** The settings of a watcher, with defaults, and its nodes. */
interface Watched {
  nodes: readonly TronNode[];
  chainId: number;
  /** 21 bytes, as `fundingAddresses`. */
  contract: string;
  fundingAddresses: ReadonlySet<string>;
  now: () => Date;
  sizes: TokenReading['sizes'];
  memory: TokenReading['memory'];
  /** Monotonic times of what a node has proven. */
  proofs: Map<TronNode, { chainAtMs?: number; logIndexAtMs?: number }>;
  /** Blocks that two sources agree about and that cannot be proven, since the start. */
  unproven: { blocks: number };
  requestsPerSecond: number;
  lookFurther: Chain['lookFurther'];
}

export function createTronWatcher(options: TronWatcherOptions): ChainWatcher {
  const watched = prepare(options);
  const { nodes } = watched;
  const decode = createAddressCache();
  const sources = createSources(nodes, ({ head, solid }: NodeHead) => ({
    'newest block': head.height,
    'solid block': solid.height,
  }));
  const withSources = <Result>(signal: AbortSignal, run: (used: Sources) => Promise<Result>) =>
    sources.use((node) => readHead(watched, node, false, signal), run);
  return {
    poll: async (cursor, addresses, signal) => {
      const ours = decode(addresses);
      const probe = (node: TronNode) => readHead(watched, node, ours.size > 0, signal);
      return sources.poll(probe, (used) => pollChain(openChain(watched, used, ours, signal), cursor));
    },
    confirm: (payment, signal) =>
      confirmBySources(nodes, (node) => isReportedBy(node, payment, watched.contract, signal)),
    tokenDecimals: (signal) =>
      withSources(signal, (sources) => {
        const used = sources.map(({ node }) => node);
        return readDecimals(used, watched.contract, signal);
      }),
    balanceLimits: BALANCE_LIMITS,
    balances: (asset, addresses, signal) =>
      withSources(signal, (sources) => {
        const ordered = sources.toSorted((a, b) => a.head.solid.height - b.head.solid.height);
        const contract = asset === 'USDT' ? watched.contract : undefined;
        const perSecond = watched.requestsPerSecond;
        return readBalances({ nodes: ordered.map(({ node }) => node), contract, perSecond, signal }, addresses);
      }),
    cursorAt: (height, signal) =>
      withSources(signal, (sources) => cursorAt(openChain(watched, sources, new Map(), signal), height)),
    check: async (signal) => {
      const checkSource = (node: TronNode) =>
        checkTronSource(node, watched.contract, () => readHead(watched, node, false, signal), signal);
      return (await Promise.all(nodes.map(checkSource))).flat();
    },
    describeHoldings: (held, signal) =>
      withSources(signal, ([source]) =>
        describeTronHoldings(source!.node, { ...watched, reference: source!.head.solid, signal }, held),
      ),
  };
}

function prepare(options: TronWatcherOptions): Watched {
  const { urls, usdtContract = USDT_ADDRESS, chainId = MAINNET_CHAIN_ID } = options;
  const nodes = urls.map((url) => createTronNode(url, options));
  const contract = toHexAddress(usdtContract);
  return {
    nodes,
    chainId,
    contract,
    fundingAddresses: new Set(options.fundingAddresses?.map(toHexAddress)),
    now: options.now ?? (() => new Date()),
    sizes: createRequestSizes(nodes),
    memory: createTokenMemory(nodes, contract),
    proofs: new Map(),
    unproven: { blocks: 0 },
    lookFurther: createFurtherLook(),
    requestsPerSecond: options.requestsPerSecond ?? REQUESTS_PER_SECOND,
  };
}

/** Decodes each address once, as long as it is watched. */
function createAddressCache() {
  let known = new Map<string, string>();
  return (addresses: ReadonlySet<string>): Addresses => {
    const decoded = new Map<string, string>();
    for (const address of addresses) decoded.set(address, known.get(address) ?? toHexAddress(address));
    known = decoded;
    return new Map([...decoded].map(([address, hex]) => [hex, address]));
  };
}

async function readHead(watched: Watched, node: TronNode, needsLogs: boolean, signal: AbortSignal): Promise<NodeHead> {
  const proofs = watched.proofs.get(node) ?? {};
  watched.proofs.set(node, proofs);
  // After a failure, another node may answer under the same URL.
  if (proofs.chainAtMs === undefined || node.transport.failedAtMs >= proofs.chainAtMs) {
    const chainId = await node.chainId(signal);
    if (chainId !== watched.chainId)
      throw failOf(node, 'INVALID_RESPONSE', `serves the network ${chainId}, not ${watched.chainId}`);
    proofs.chainAtMs = performance.now();
  }
  const [head, solid] = await Promise.all([node.head(signal), node.solidHead(signal)]);
  const ageMs = watched.now().getTime() - head.time.getTime();
  if (ageMs > HEAD_AGE_MAX_MS)
    throw failOf(node, 'LAGGING', `lags: its newest block is ${Math.round(ageMs / 1000)} seconds old`);
  if (solid.height > head.height)
    throw failOf(node, 'INVALID_RESPONSE', `has the solid block ${solid.height} after its newest block ${head.height}`);
  const { logIndexAtMs = -Infinity } = proofs;
  if (needsLogs && performance.now() - logIndexAtMs > LOG_INDEX_CHECKED_EVERY_MS) {
    await requireLogIndex(node, watched.contract, solid.height, signal);
    proofs.logIndexAtMs = performance.now();
  }
  return { head, solid };
}

function openChain(watched: Watched, sources: Sources, addresses: Addresses, signal: AbortSignal): Chain {
  const least = (read: (head: NodeHead) => number) => Math.min(...sources.map(({ head }) => read(head)));
  const target = Math.max(0, least(({ head }) => head.height) - BLOCKS_BEHIND_HEAD);
  const unproven = { blocks: 0, before: watched.unproven.blocks };
  return {
    ...watched,
    nodes: sources.map(({ node }) => node),
    allNodes: watched.nodes,
    silent: new Set(),
    addresses,
    isOurs: (address) => addresses.has(address),
    signal,
    target,
    solidHeight: Math.min(
      least(({ solid }) => solid.height),
      target,
    ),
    unproven,
    countUnproven() {
      unproven.blocks += 1;
      watched.unproven.blocks += 1;
    },
  };
}
