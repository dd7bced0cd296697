import type { HttpTransport } from './http-transport.ts';
import { SourceRefusal } from './refusals.ts';
import { createHeights, type Heights } from './source-heights.ts';
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

/** Begins a warning: what is agreed on is denied by a further source. */
export const CONTRADICTION = 'payments may be missing or invented';
/** Also sources that no poll needs, so that those that agree do not stand still together. */
const HEADS_EVERY_MS = 60_000;

type Run<Node, Head, Result> = (sources: readonly Probed<Node, Head>[]) => Promise<Result>;

/** @param heightsOf what a source has, which must not be less than what others have had for ten minutes */
export function createSources<Node extends Source, Head>(nodes: readonly Node[], heightsOf: (head: Head) => Heights) {
  const heights = createHeights<Node>();
  let headsAskedAtMs = -Infinity;
  /** Reads a source's head; throws if the source is not usable. */
  type Probe = (node: Node) => Promise<Head>;
  const toReader = (probe: Probe) => async (node: Node) => {
    const head = await probe(node);
    heights.note(node, heightsOf(head));
    return { node, head };
  };
  async function askForHeads(others: readonly Node[], read: ReturnType<typeof toReader>): Promise<void> {
    if (performance.now() - headsAskedAtMs < HEADS_EVERY_MS) return;
    headsAskedAtMs = performance.now();
    // One that fails is not used, and says nothing about the others.
    await Promise.all(others.map((node) => read(node).catch((error: unknown) => toFailure(nodes, error))));
  }
  return {
    use: async <Result>(probe: Probe, run: Run<Node, Head, Result>): Promise<Result> =>
      (await runWithAgreeing(nodes, heights, toReader(probe), run)).result,
    /** Adds, for the operator, which sources the poll went on without, and which of its own lack what others have. */
    async poll(probe: Probe, run: Run<Node, Head, Poll>): Promise<Poll> {
      const { result, used } = await runWithAgreeing(nodes, heights, toReader(probe), run);
      const others = nodes.filter((node) => !used.includes(node));
      await askForHeads(others, toReader(probe));
      const warnings = nodes.flatMap((node) => {
        const { transport } = node;
        const lag = heights.explainLag(node, nodes);
        if (used.includes(node)) return lag === undefined ? [] : `${CONTRADICTION}: ${transport.name} lags: ${lag}`;
        if (lag !== undefined) problems.set(transport, notUsed(node, lag));
        return problems.get(transport) ?? [];
      });
      return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
    },
  };
}

/**
 * Runs with two sources that agree (one if only one is configured), preferring those that failed least recently. Of three, any two are
 * enough: if two disagree or one fails, the other pairs are tried, too, so that one broken or lying source does not stop the chain.
 * @param run throws ChainUnavailable if its sources disagree
 */
async function runWithAgreeing<Node extends Source, Head, Result>(
  nodes: readonly Node[],
  heights: ReturnType<typeof createHeights<Node>>,
  readHead: (node: Node) => Promise<Probed<Node, Head>>,
  run: Run<Node, Head, Result>,
): Promise<{ result: Result; used: readonly Node[] }> {
  const usable: Probed<Node, Head>[] = [];
  let firstFailure: unknown;
  const order = (node: Node) => (heights.explainLag(node, nodes) === undefined ? preference(node) : performance.now());
  for (const node of nodes.toSorted((a, b) => order(a) - order(b))) {
    try {
      usable.push(await readHead(node));
    } catch (error) {
      const failure = toFailure(nodes, error);
      problems.set(node.transport, failure.message);
      firstFailure ??= failure;
      continue;
    }
    for (const sources of groupsOfLast(usable, nodes.length)) {
      const used = sources.map((source) => source.node);
      try {
        heights.requireCurrent(used);
        const result = await run(sources);
        for (const one of usable)
          remember(one.node, used.includes(one.node) ? undefined : 'it disagrees with the others');
        return { result, used };
      } catch (error) {
        firstFailure = toFailure(nodes, error);
      }
    }
  }
  throw firstFailure;
}

/** Then a source with a problem is asked again, before the others: it may have been repaired. */
const ASKED_AGAIN_AFTER_MS = 10 * 60_000;
/** Why a source is not used, by its transport. */
const problems = new WeakMap<object, string>();

function preference({ transport }: Source): number {
  const isOld = performance.now() - transport.failedAtMs > ASKED_AGAIN_AFTER_MS;
  return isOld ? (problems.has(transport) ? -1 : 0) : transport.failedAtMs;
}

const notUsed = ({ transport }: Source, why: string) => `${transport.name} is not used: ${why}`;

/** @param problem undefined if it has agreed */
function remember({ transport }: Source, problem: string | undefined): void {
  if (problem === undefined) problems.delete(transport);
  else {
    problems.set(transport, notUsed({ transport }, problem));
    transport.failedAtMs = performance.now();
  }
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
