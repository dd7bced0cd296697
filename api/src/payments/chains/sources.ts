import type { HttpTransport } from './http-transport.ts';
import { SourceRefusal } from './refusals.ts';
import { ChainUnavailable, type Poll } from './watcher.ts';

/** A fact is accepted if this many independent sources agree, or all if fewer are configured. */
const SOURCES_AGREEING = 2;
/** Messages of Bitcoin's nodes, geth, Erigon, Nethermind and providers. */
const PRUNED_MESSAGE =
  /prun(ed|ing)|missing trie node|historical state|state .*(not available|unavailable)|no state available|archive|history .*(not available|unavailable)/i;

/** A node or an indexer with its own methods, which all use one transport. */
export interface Source {
  readonly transport: Pick<HttpTransport, 'name' | 'failedAtMs'>;
}

export interface Probed<Node, Head> {
  node: Node;
  head: Head;
}

/**
 * Runs with two sources that agree (one if only one is configured), preferring those that failed least recently. Of three, any two are
 * enough: if two disagree or one fails, the other pairs are tried, too, so that one broken or lying source does not stop the chain.
 * @param probe reads the source's head; throws if the source is not usable
 * @param run throws ChainUnavailable if its sources disagree
 */
export async function useSources<Node extends Source, Head, Result>(
  nodes: readonly Node[],
  probe: (node: Node) => Promise<Head>,
  run: (sources: readonly Probed<Node, Head>[]) => Promise<Result>,
): Promise<Result> {
  const usable: Probed<Node, Head>[] = [];
  let firstFailure: unknown;
  for (const node of nodes.toSorted((a, b) => preference(a) - preference(b))) {
    try {
      const probed = { node, head: await probe(node) };
      usable.push(probed);
    } catch (error) {
      const failure = toFailure(nodes, error);
      problems.set(node.transport, failure.message);
      firstFailure ??= failure;
      continue;
    }
    for (const sources of groupsOfLast(usable, nodes.length)) {
      try {
        const result = await run(sources);
        for (const one of usable)
          remember(one.node, sources.includes(one) ? undefined : 'it disagrees with the others');
        return result;
      } catch (error) {
        firstFailure = toFailure(nodes, error);
      }
    }
  }
  throw firstFailure;
}

/**
 * A source that is further behind another one than by chance would hide what is in the blocks between, for as long as it likes.
 * @throws ChainUnavailable
 */
export function requireSimilar<Node extends Source, Head>(
  sources: readonly Probed<Node, Head>[],
  what: string,
  blocksMax: number,
  heightOf: (head: Head) => number,
): void {
  const [last, ...others] = sources.toSorted((a, b) => heightOf(a.head) - heightOf(b.head));
  const behind = heightOf((others.at(-1) ?? last!).head) - heightOf(last!.head);
  if (behind <= blocksMax) return;
  const { name } = last!.node.transport;
  throw new ChainUnavailable('LAGGING', `${name} lags: its ${what} is ${behind} blocks behind that of another source`);
}

/** Then a source with a problem is asked again, before the others: it may have been repaired. */
const ASKED_AGAIN_AFTER_MS = 10 * 60_000;
/** Why a source is not used, by its transport. */
const problems = new WeakMap<object, string>();

function preference({ transport }: Source): number {
  const isOld = performance.now() - transport.failedAtMs > ASKED_AGAIN_AFTER_MS;
  return isOld ? (problems.has(transport) ? -1 : 0) : transport.failedAtMs;
}

/** @param problem undefined if it has agreed */
function remember({ transport }: Source, problem: string | undefined): void {
  if (problem === undefined) problems.delete(transport);
  else {
    problems.set(transport, `${transport.name} is not used: ${problem}`);
    transport.failedAtMs = performance.now();
  }
}

/** Adds, for the operator, which sources a poll went on without. */
export function withWarnings(poll: Poll, nodes: readonly Source[]): Poll {
  const unused = nodes.flatMap(({ transport }) => problems.get(transport) ?? []);
  return { ...poll, warnings: [...(poll.warnings ?? []), ...unused] };
}

/** The groups of sources that are enough and contain the last one. */
function groupsOfLast<Item>(items: readonly Item[], configured: number): Item[][] {
  const last = items.at(-1)!;
  if (configured < SOURCES_AGREEING) return [[last]];
  return items.slice(0, -1).map((item) => [item, last]);
}

/** @returns a failure that other sources may not have @throws all others */
export function toFailure(nodes: readonly Source[], error: unknown): ChainUnavailable {
  const failure = asUnavailable(nodes, error);
  if (failure instanceof ChainUnavailable && failure.reason !== 'DEEP_REORGANISATION') return failure;
  throw failure;
}

/** Reads what proves itself, so that one source is enough: if one fails, the next one is asked. @throws the first failure */
export async function readFromAny<Node extends Source, Fact>(
  nodes: readonly Node[],
  read: (node: Node) => Promise<Fact>,
): Promise<Fact> {
  let firstFailure: unknown;
  for (const node of nodes) {
    try {
      return await read(node);
    } catch (error) {
      firstFailure ??= toFailure(nodes, error);
      node.transport.failedAtMs = performance.now();
    }
  }
  throw firstFailure;
}

/**
 * Confirms a fact by several sources, before a large credit.
 * @returns undefined if only one is configured, true if two confirm it, false if so many deny it that two cannot
 */
export async function confirmBySources<Node extends Source>(
  nodes: readonly Node[],
  isTrue: (node: Node) => Promise<boolean>,
): Promise<boolean | undefined> {
  if (nodes.length < SOURCES_AGREEING) return undefined;
  const answers = await Promise.allSettled(nodes.map(isTrue));
  const count = (isWanted: boolean) =>
    answers.filter((answer) => answer.status === 'fulfilled' && answer.value === isWanted).length;
  if (count(true) >= SOURCES_AGREEING) return true;
  if (count(false) > nodes.length - SOURCES_AGREEING) return false;
  const failure = answers.find((answer) => answer.status === 'rejected');
  throw asUnavailable(nodes, failure?.reason);
}

/** The source has deleted what was asked for. */
export function isPruned(error: unknown): boolean {
  return error instanceof SourceRefusal
    ? PRUNED_MESSAGE.test(error.message)
    : error instanceof ChainUnavailable && error.reason === 'PRUNED';
}

/** A refusal that the caller did not handle makes the node unusable. */
function asUnavailable(nodes: readonly Source[], error: unknown): unknown {
  if (!(error instanceof SourceRefusal)) return error;
  const refusing = nodes.find(({ transport }) => transport.name === error.node);
  if (refusing) refusing.transport.failedAtMs = performance.now();
  const reason = isPruned(error) ? 'PRUNED' : 'INVALID_RESPONSE';
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
