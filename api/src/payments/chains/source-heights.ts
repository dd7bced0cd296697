/**
 * Whether a source stands still. Sources differ by chance, for as long as a block needs to reach all of them; what another one has had for ten
 * minutes is not missing by chance. A time means the same on every chain, where a number of blocks does not.
 */
import type { Source } from './sources.ts';
import { ChainUnavailable } from './watcher.ts';

const BEHIND_MS_MAX = 10 * 60_000;

/** Of a head: what the block is called, such as `newest block`, and its height. */
export type Heights = Readonly<Record<string, number>>;

interface Sample {
  atMs: number;
  heights: Heights;
}

export function createHeights<Node extends Source>() {
  const samples = new Map<Node, readonly Sample[]>();
  const isOld = ({ atMs }: Sample) => performance.now() - atMs >= BEHIND_MS_MAX;
  /** @returns undefined if it has all that the others have had for ten minutes, and still have */
  function explainLag(node: Node, others: readonly Node[]): string | undefined {
    for (const [what, height] of Object.entries(samples.get(node)?.at(-1)?.heights ?? {}))
      for (const other of others) {
        const known = samples.get(other) ?? [];
        const had = Math.min(known.findLast(isOld)?.heights[what] ?? 0, known.at(-1)?.heights[what] ?? 0);
        if (had > height) return `its ${what} is ${height}, and ${other.transport.name} has had ${had} for ten minutes`;
      }
    return undefined;
  }
  return {
    note(node: Node, heights: Heights): void {
      const known = [...(samples.get(node) ?? []), { atMs: performance.now(), heights }];
      // Of the old ones, the last one is enough.
      samples.set(node, known.slice(Math.max(0, known.findLastIndex(isOld))));
    },
    explainLag,
    /** One that is behind would hide what is in the blocks between, for as long as it likes. @throws ChainUnavailable */
    requireCurrent(nodes: readonly Node[]): void {
      for (const node of nodes) {
        const lag = explainLag(node, nodes);
        if (lag !== undefined) throw new ChainUnavailable('LAGGING', `${node.transport.name} lags: ${lag}`);
      }
    },
  };
}
