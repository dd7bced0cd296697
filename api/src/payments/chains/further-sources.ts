/**
 * Two sources that lie alike convince a poll. So what it has settled is read again with each further source, at a pace that free plans carry:
 * what that one and one of the two agree about is reported again, which is how a lie that has ended is repaired; a difference is a warning.
 */
import { CONTRADICTION, type Source, toFailure } from './sources.ts';

const ASKED_EVERY_MS = 5 * 60_000;

export interface FurtherLook<Node, Fact> {
  /** All that are configured, and those that the poll has used. */
  nodes: readonly Node[];
  used: readonly Node[];
  /** Up to here all sources were asked. */
  askedHeight: number;
  settledHeight: number;
  /** So many blocks are asked for at once, without waiting for the time. */
  blocksMax: number;
  /** @throws ChainUnavailable if the nodes disagree */
  read: (nodes: readonly Node[], fromHeight: number, toHeight: number) => Promise<readonly Fact[]>;
}

interface Found<Fact> {
  facts: readonly Fact[];
  askedHeight: number | undefined;
  warnings: readonly string[];
}

interface Asked {
  /** Up to here this source was asked. */
  height: number;
  /** It has failed or said something else, and is asked about the same blocks again. */
  isHeld: boolean;
  problem?: string | undefined;
}

/**
 * Remembers when it has asked, and what was different. Each source has a height of its own, so that one that is away does not hold up the
 * others and misses nothing once it is back; the lowest of them is what the cursor stores.
 */
export function createFurtherLook() {
  let nextAtMs = 0;
  let lowest: number | undefined;
  const asked = new Map<unknown, Asked>();
  return async <Node extends Source, Fact>(look: FurtherLook<Node, Fact>): Promise<Found<Fact>> => {
    const { nodes, used, askedHeight, settledHeight, blocksMax } = look;
    const further = nodes.filter((node) => !used.includes(node));
    if (further.length === 0) return { facts: [], askedHeight: undefined, warnings: [] };
    // The cursor was set back.
    if (askedHeight !== lowest) for (const state of asked.values()) state.height = askedHeight;
    const stateOf = (node: Node): Asked => asked.get(node) ?? { height: askedHeight, isHeld: false };
    const isTime = performance.now() >= nextAtMs;
    const due = further.filter((node) => {
      const { height, isHeld } = stateOf(node);
      return height < settledHeight && (isTime || (!isHeld && settledHeight - height >= blocksMax));
    });
    if (due.length > 0) nextAtMs = performance.now() + ASKED_EVERY_MS;
    const answers = await Promise.all(
      due.map(async (node) => {
        const { height } = stateOf(node);
        const toHeight = Math.min(settledHeight, height + blocksMax);
        const { facts, isHeld, problem } = await askOne(look, node, height + 1, toHeight);
        asked.set(node, { height: isHeld ? height : toHeight, isHeld, problem });
        return facts;
      }),
    );
    lowest = Math.min(...further.map((node) => stateOf(node).height));
    const warnings = further.flatMap((node) => stateOf(node).problem ?? []);
    return { facts: answers.flat(), askedHeight: lowest, warnings };
  };
}

/** With each of the used ones, until one agrees. A source that fails or lags says nothing, and is asked again; what it has deleted it cannot say. */
async function askOne<Node extends Source, Fact>(
  { nodes, used, read }: FurtherLook<Node, Fact>,
  further: Node,
  fromHeight: number,
  toHeight: number,
): Promise<{ facts: readonly Fact[]; isHeld: boolean; problem?: string }> {
  let problem: string | undefined;
  let isHeld = false;
  for (const node of used) {
    try {
      return { facts: await read([node, further], fromHeight, toHeight), isHeld: false };
    } catch (error) {
      const { reason, message } = toFailure(nodes, error);
      if (reason === 'DISAGREEING') problem = `${CONTRADICTION}: ${message}`;
      if (reason !== 'PRUNED') isHeld = true;
    }
  }
  return problem === undefined ? { facts: [], isHeld } : { facts: [], isHeld, problem };
}
