/**
 * Two sources that lie alike convince a poll. So what it has settled is read again with each further source, at a pace that free plans carry:
 * what that one and one of the two agree about is reported again, which is how a lie that has ended is repaired; a difference is a warning.
 */
import { type Source, toFailure } from './sources.ts';

const ASKED_EVERY_MS = 5 * 60_000;
/** Begins the warning. */
export const CONTRADICTION = 'payments may be missing or invented';

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

/** Remembers when it has asked, and what was different. */
export function createFurtherLook() {
  let nextAtMs = 0;
  let warnings: readonly string[] = [];
  return async <Node extends Source, Fact>(look: FurtherLook<Node, Fact>): Promise<Found<Fact>> => {
    const { nodes, used, askedHeight, settledHeight, blocksMax } = look;
    const further = nodes.filter((node) => !used.includes(node));
    const isDue = performance.now() >= nextAtMs || (warnings.length === 0 && settledHeight - askedHeight >= blocksMax);
    if (further.length === 0) return { facts: [], askedHeight: undefined, warnings: [] };
    if (settledHeight <= askedHeight || !isDue) return { facts: [], askedHeight, warnings };
    nextAtMs = performance.now() + ASKED_EVERY_MS;
    const toHeight = Math.min(settledHeight, askedHeight + blocksMax);
    const answers = await Promise.all(further.map((node) => askOne(look, node, askedHeight + 1, toHeight)));
    warnings = answers.flatMap(({ problem }) => problem ?? []);
    const facts = answers.flatMap((answer) => answer.facts);
    return { facts, askedHeight: warnings.length === 0 ? toHeight : askedHeight, warnings };
  };
}

/** With each of the used ones, until one agrees. A source that fails or lags says nothing. */
async function askOne<Node extends Source, Fact>(
  { nodes, used, read }: FurtherLook<Node, Fact>,
  further: Node,
  fromHeight: number,
  toHeight: number,
): Promise<{ facts: readonly Fact[]; problem?: string }> {
  let problem: string | undefined;
  for (const node of used) {
    try {
      return { facts: await read([node, further], fromHeight, toHeight) };
    } catch (error) {
      const { reason, message } = toFailure(nodes, error);
      if (reason === 'DISAGREEING') problem = `${CONTRADICTION}: ${message}`;
    }
  }
  return problem === undefined ? { facts: [] } : { facts: [], problem };
}
