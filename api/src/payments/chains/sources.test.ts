import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SourceRefusal } from './refusals.ts';
import { confirmBySources, CONTRADICTION, createSources, isPruned, readFromAny } from './sources.ts';
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
  const fact = await createSources(sources, () => ({})).use(read, async (used) => {
    runs.push(used.map(({ node }) => node.transport.name.slice(-1)).join(''));
    if (new Set(used.map(({ head }) => head)).size > 1) throw new ChainUnavailable('DISAGREEING', 'they differ');
    return used[0]!.head;
  });
  return { fact, runs };
}

async function same(one: string, other: string): Promise<Poll> {
  if (one !== other) throw new ChainUnavailable('DISAGREEING', 'they differ');
  return {} as Poll;
}

/** Each poll is a minute after the one before it. */
function openPolls(count: number) {
  const sources = Array.from({ length: count }, (_, index) => toSource('a', index));
  const polls = createSources(sources, (height: number) => ({ 'newest block': height }));
  /** @param heights undefined: it fails. @returns the sources that were used, and what the operator is told */
  return async (...heights: (number | undefined)[]) => {
    vi.advanceTimersByTime(60_000);
    let used = '';
    const probe = async (source: FakeSource) => {
      const height = heights[sources.indexOf(source)];
      if (height === undefined) throw down();
      return height;
    };
    const { warnings } = await polls.poll(probe, async (probed) => {
      used = probed
        .map(({ node }) => sources.indexOf(node))
        .toSorted((a, b) => a - b)
        .join('');
      return {} as Poll;
    });
    return { used, warnings };
  };
}

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

  it('that the others go on without are named, until they agree again', async () => {
    const sources = ['a', 'a', 'b'].map(toSource);
    sources[0]!.fact = 'c';
    sources[2]!.fact = 'a';
    const polls = createSources(sources, (_head: string) => ({}));
    const warnings = async () => (await polls.poll(read, ([one, other]) => same(one!.head, other!.head))).warnings;
    expect(await warnings()).toEqual(['source-0 is not used: it disagrees with the others']);
    sources[0]!.fact = 'a';
    expect(await warnings()).toHaveLength(1);
    // Eleven minutes later.
    sources[0]!.transport.failedAtMs -= 11 * 60_000;
    expect(await warnings()).toEqual([]);
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

const lag = (other: string) => `its newest block is 100, and ${other} has had 101 for ten minutes`;

describe('a source that stands still', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  it('of two is named once the other one has had a block for ten minutes', async () => {
    const poll = openPolls(2);
    for (let minute = 0; minute < 10; minute += 1) expect(await poll(100, 101)).toEqual({ used: '01', warnings: [] });
    await expect(poll(100, 101)).rejects.toMatchObject({
      reason: 'LAGGING',
      message: `source-0 lags: ${lag('source-1')}`,
    });
    expect(await poll(101, 110)).toEqual({ used: '01', warnings: [] });
  });

  it('of three is replaced', async () => {
    const poll = openPolls(3);
    for (let minute = 0; minute < 10; minute += 1) expect(await poll(100, 101, 101)).toMatchObject({ used: '01' });
    expect(await poll(100, 101, 101)).toEqual({ used: '12', warnings: [`source-0 is not used: ${lag('source-1')}`] });
  });

  it('together with another one of three is named, and used on', async () => {
    const poll = openPolls(3);
    for (let minute = 0; minute < 10; minute += 1) expect(await poll(100, 100, 101)).toMatchObject({ warnings: [] });
    const lags = ['source-0', 'source-1'].map((name) => `${CONTRADICTION}: ${name} lags: ${lag('source-2')}`);
    const warnings = [...lags, 'source-2 is not used: it disagrees with the others'];
    for (let minute = 0; minute < 30; minute += 1) expect(await poll(100, 100, 101)).toEqual({ used: '01', warnings });
    expect(await poll(101, 100, 102)).toMatchObject({ used: '02' });
  });

  it('together with another one of four is not used', async () => {
    const poll = openPolls(4);
    for (let minute = 0; minute < 11; minute += 1) await poll(100, 100, 101, 101);
    const warnings = ['source-0', 'source-1'].map((name) => `${name} is not used: ${lag('source-2')}`);
    for (let minute = 0; minute < 30; minute += 1)
      expect(await poll(100, 100, 101, 101)).toEqual({ used: '23', warnings });
  });

  it('is another one than that which is some blocks behind, and goes on', async () => {
    const poll = openPolls(3);
    for (let height = 10_000; height < 13_000; height += 100)
      expect(await poll(height, height - 900, height)).toEqual({ used: '01', warnings: [] });
  });

  it('is not one that had as many blocks as one that spoke of more for a moment', async () => {
    const poll = openPolls(3);
    await poll(100, 100, 5000);
    for (let height = 101; height < 130; height += 1)
      expect(await poll(height, height, height)).toEqual({ used: '01', warnings: [] });
  });

  it('is not known from one that does not answer', async () => {
    const poll = openPolls(3);
    for (let minute = 0; minute < 30; minute += 1)
      expect(await poll(100, 100, undefined)).toMatchObject({ used: '01' });
  });
});
