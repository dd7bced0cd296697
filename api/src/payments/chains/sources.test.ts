import { describe, expect, it } from 'vitest';
import { SourceRefusal } from './refusals.ts';
import { confirmBySources, isPruned, readFromAny, requireSimilar, useSources, withWarnings } from './sources.ts';
import { ChainUnavailable, type Poll } from './watcher.ts';

interface FakeSource {
  transport: { name: string; failedAtMs: number };
  /** What it reports; undefined: it fails. */
  fact: string | undefined;
}

const toSource = (fact: string | undefined, index: number): FakeSource => ({
  transport: { name: `source-${index}`, failedAtMs: 0 },
  fact,
});

const down = () => new ChainUnavailable('DOWN', 'no response');
const read = async ({ fact }: FakeSource) => {
  if (fact === undefined) throw down();
  return fact;
};

/** @returns the fact, and the names of the sources of each run */
async function use(sources: readonly FakeSource[]) {
  const runs: string[] = [];
  const fact = await useSources(sources, read, async (used) => {
    runs.push(used.map(({ node }) => node.transport.name.slice(-1)).join(''));
    if (new Set(used.map(({ head }) => head)).size > 1) throw new ChainUnavailable('DISAGREEING', 'they differ');
    return used[0]!.head;
  });
  return { fact, runs };
}

const warningsOf = (sources: readonly FakeSource[]) => withWarnings({} as Poll, sources).warnings;

const requireHeights = (heights: readonly number[]) => () =>
  requireSimilar(
    heights.map((head, index) => ({ node: toSource('a', index), head })),
    'newest block',
    2,
    (height) => height,
  );

describe('sources', () => {
  it.each([
    ['of one', ['a'], ['0']],
    ['of two', ['a', 'a'], ['01']],
    ['of three, of which the first one lies', ['b', 'a', 'a'], ['01', '02', '12']],
    ['of three, of which the second one lies', ['a', 'b', 'a'], ['01', '02']],
    ['of three, of which the third one lies', ['a', 'a', 'b'], ['01']],
    ['of three, of which the first one is down', [undefined, 'a', 'a'], ['12']],
  ])('%s agree, and are preferred from then on', async (_name, facts, runs) => {
    const sources = facts.map(toSource);
    expect(await use(sources)).toEqual({ fact: 'a', runs });
    for (const source of sources) if (source.fact === undefined) source.transport.failedAtMs = performance.now();
    expect((await use(sources)).runs).toEqual(runs.slice(-1));
  });

  it.each([
    ['two that differ', ['a', 'b'], 'DISAGREEING'],
    ['two of which one is down', ['a', undefined], 'DOWN'],
    ['three that all differ', ['a', 'b', 'c'], 'DISAGREEING'],
    ['three of which one is down and two differ', ['a', undefined, 'b'], 'DISAGREEING'],
  ])('of %s are not enough', async (_name, facts, reason) => {
    await expect(use(facts.map(toSource))).rejects.toMatchObject({ reason });
  });

  it.each([[[100]], [[100, 100]], [[98, 100]]])('with the newest blocks %j are similar', (heights) => {
    expect(requireHeights(heights)).not.toThrow();
  });

  it.each([
    [[97, 100], 'source-0 lags: its newest block is 3 blocks behind that of another source'],
    [[100, 90], 'source-1 lags: its newest block is 10 blocks behind that of another source'],
  ])('with the newest blocks %j are not', (heights, message) => {
    expect(requireHeights(heights)).toThrow(message);
  });

  it('that the others go on without are named, until they agree again', async () => {
    const sources = ['a', 'a', 'b'].map(toSource);
    sources[0]!.fact = 'c';
    sources[2]!.fact = 'a';
    await use(sources);
    expect(warningsOf(sources)).toEqual(['source-0 is not used: it disagrees with the others']);
    sources[0]!.fact = 'a';
    await use(sources);
    expect(warningsOf(sources)).toHaveLength(1);
    // Eleven minutes later.
    sources[0]!.transport.failedAtMs -= 11 * 60_000;
    expect((await use(sources)).runs).toEqual(['01']);
    expect(warningsOf(sources)).toEqual([]);
  });

  it('are all tried for what proves itself', async () => {
    expect(await readFromAny([undefined, 'a'].map(toSource), read)).toBe('a');
    await expect(readFromAny([undefined, undefined].map(toSource), read)).rejects.toMatchObject({ reason: 'DOWN' });
  });

  it.each([
    [['yes'], undefined],
    [['yes', 'yes'], true],
    [['yes', 'no'], false],
    [['no', 'yes', 'yes'], true],
    [['no', 'no', 'yes'], false],
    [['yes', undefined, 'yes'], true],
    [['yes', undefined], 'DOWN'],
    [['yes', 'no', undefined], 'DOWN'],
  ])('that say %j confirm a payment: %s', async (facts, expected) => {
    const confirm = confirmBySources(facts.map(toSource), async (source) => (await read(source)) === 'yes');
    expect(await confirm.catch((error: unknown) => (error as ChainUnavailable).reason)).toBe(expected);
  });

  it.each([
    ['missing trie node 0d3a (path ) state 0x0d3a is not available'],
    ['old data not available due to pruning'],
    ['pruned history unavailable'],
    ['historical state 0x1 is not available'],
  ])('that refuse with "%s" have deleted it', (message) => {
    expect(isPruned(new SourceRefusal('source', -32000, message))).toBe(true);
  });
});
