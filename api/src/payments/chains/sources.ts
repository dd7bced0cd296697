import type { HttpTransport } from './http-transport.ts';
import { SourceRefusal } from './refusals.ts';
import { ChainUnavailable } from './watcher.ts';

/** A fact is accepted if this many independent sources agree, or all if fewer are configured. */
const SOURCES_AGREEING = 2;
/** Messages of Bitcoin's nodes, geth, Erigon, Nethermind and providers. */
const PRUNED_MESSAGE =
  /pruned|missing trie node|historical state|state .*(not available|unavailable)|archive|history .*(not available|unavailable)/i;

/** A node or an indexer with its own methods, which all use one transport. */
interface Source {
  readonly transport: Pick<HttpTransport, 'name' | 'failedAtMs'>;
}

export interface Probed<Node, Head> {
  node: Node;
  head: Head;
}

/**
 * Runs with two usable nodes (one if only one is configured), preferring those that failed least recently: one broken node of three
 * does not stop the chain.
 * @param probe reads the node's head; throws if the node is not usable
 */
export async function useSources<Node extends Source, Head, Result>(
  nodes: readonly Node[],
  probe: (node: Node) => Promise<Head>,
  run: (sources: readonly Probed<Node, Head>[]) => Promise<Result>,
): Promise<Result> {
  const required = Math.min(SOURCES_AGREEING, nodes.length);
  const usable: Probed<Node, Head>[] = [];
  let firstFailure: unknown;
  for (const node of nodes.toSorted((a, b) => a.transport.failedAtMs - b.transport.failedAtMs)) {
    if (usable.length === required) break;
    try {
      usable.push({ node, head: await probe(node) });
    } catch (error) {
      firstFailure ??= asUnavailable(nodes, error);
    }
  }
  if (usable.length < required) throw firstFailure;
  try {
    return await run(usable);
  } catch (error) {
    // It is unknown which node is wrong, so the next poll prefers others.
    if (error instanceof ChainUnavailable && error.reason === 'DISAGREEING') {
      for (const { node } of usable) node.transport.failedAtMs = performance.now();
    }
    throw asUnavailable(nodes, error);
  }
}

/**
 * Confirms a fact by several sources, before a large credit.
 * @returns undefined if only one is configured, false if one denies it, true if two confirm it
 */
export async function confirmBySources<Node extends Source>(
  nodes: readonly Node[],
  isTrue: (node: Node) => Promise<boolean>,
): Promise<boolean | undefined> {
  if (nodes.length < SOURCES_AGREEING) return undefined;
  const answers = await Promise.allSettled(nodes.map(isTrue));
  if (answers.some((answer) => answer.status === 'fulfilled' && !answer.value)) return false;
  if (answers.filter(({ status }) => status === 'fulfilled').length >= SOURCES_AGREEING) return true;
  const failure = answers.find((answer) => answer.status === 'rejected');
  throw asUnavailable(nodes, failure?.reason);
}

/** A refusal that the caller did not handle makes the node unusable. */
function asUnavailable(nodes: readonly Source[], error: unknown): unknown {
  if (!(error instanceof SourceRefusal)) return error;
  const refusing = nodes.find(({ transport }) => transport.name === error.node);
  if (refusing) refusing.transport.failedAtMs = performance.now();
  const reason = PRUNED_MESSAGE.test(error.message) ? 'PRUNED' : 'INVALID_RESPONSE';
  return new ChainUnavailable(reason, `${error.node} refuses a call: ${error.message} (${error.code})`, {
    cause: error,
  });
}

/** @throws ChainUnavailable if the sources do not all report the same */
export async function agree<Node extends Source, Fact>(
  nodes: readonly Node[],
  what: string,
  read: (node: Node) => Promise<Fact>,
  /** A text that is equal if and only if the facts are. */
  identify: (fact: Fact) => string,
): Promise<Fact> {
  const [first, ...others] = await Promise.all(nodes.map(read));
  const identity = identify(first!);
  const differing = others.findIndex((fact) => identify(fact) !== identity);
  if (differing === -1) return first!;
  const [a, b] = [nodes[0]!.transport.name, nodes[differing + 1]!.transport.name];
  throw new ChainUnavailable('DISAGREEING', `${a} and ${b} disagree about ${what}`);
}
