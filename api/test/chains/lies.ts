/** Lies that need no knowledge of a protocol: they change JSON. */
import type { Random } from '../../../tools/random.ts';
import { type Lie, Refused } from './hostile-proxy.ts';

const REFUSALS = [
  'pruned history unavailable',
  'query timed out',
  'the result is not ready',
  'exceed max block range: 1',
];

/** Every array in a value. */
function arraysIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(arraysIn);
  return Array.isArray(value) ? [value as unknown[], ...below] : below;
}

interface Leaf {
  parent: Record<string, unknown>;
  key: string;
}

/** Every number and text in a value. */
function leavesIn(parent: unknown): Leaf[] {
  if (typeof parent !== 'object' || parent === null) return [];
  return Object.entries(parent).flatMap(([key, value]) =>
    typeof value === 'object' ? leavesIn(value) : [{ parent: parent as Record<string, unknown>, key }],
  );
}

function withArray(change: (array: unknown[], random: Random) => void): Lie {
  return ({ payload, random }) => {
    const arrays = arraysIn(payload).filter(({ length }) => length > 0);
    if (arrays.length > 0) change(random.pick(arrays), random);
    return payload ?? null;
  };
}

function changed(value: unknown, random: Random): unknown {
  if (typeof value === 'number') return value + random.pick([-1, 1, value]);
  if (typeof value !== 'string' || value.length === 0) return value;
  const at = random.below(value.length);
  const digit = random.below(16).toString(16);
  return value.slice(0, at) + (at < 2 && value.startsWith('0x') ? value[at] : digit) + value.slice(at + 1);
}

export const generalLies: Record<string, Lie> = {
  'leaves out': withArray((array, random) => void array.splice(random.below(array.length), 1)),
  repeats: withArray(
    (array, random) => void array.splice(random.below(array.length), 0, structuredClone(random.pick(array))),
  ),
  reorders: withArray((array) => void array.splice(0, array.length, ...array.toReversed())),
  'is silent in good form': ({ payload }) => (Array.isArray(payload) ? [] : null),
  changes({ payload, random }) {
    if (typeof payload !== 'object' || payload === null) return changed(payload, random) ?? null;
    const leaves = leavesIn(payload);
    if (leaves.length === 0) return payload;
    const { parent, key } = random.pick(leaves);
    parent[key] = changed(parent[key], random);
    return payload;
  },
  'repeats the past': ({ earlier }) => earlier ?? null,
  'speaks of another network': async ({ askElsewhere }) => (await askElsewhere()) ?? null,
  refuses: ({ random }) => new Refused(random.pick(REFUSALS)),
  'breaks off': () => undefined,
};

/** What others were paid seems to be paid to us. @param texts pairs: how a node writes an address of others, and how one of ours */
export function pretends(texts: readonly (readonly [string, string])[]): Lie {
  return ({ payload, random }) => {
    const [theirs, ours] = random.pick(texts);
    return JSON.parse(JSON.stringify(payload ?? null).replaceAll(theirs, ours)) as unknown;
  };
}
