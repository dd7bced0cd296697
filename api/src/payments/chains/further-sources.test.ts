import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFurtherLook } from './further-sources.ts';
import { CONTRADICTION } from './sources.ts';
import { ChainUnavailable } from './watcher.ts';

const ASKED_EVERY_MS = 5 * 60_000;
const BLOCKS_MAX = 100;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const sourceNamed = (name: string) => ({ transport: { name, failedAtMs: -Infinity } });
const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map(sourceNamed) as [
  Named,
  Named,
  Named,
  Named,
];
type Named = ReturnType<typeof sourceNamed>;

/** Polls by the first two sources. The others answer with the heights that they are asked for, unless they fail. */
function openLook(nodes: readonly Named[]) {
  const look = createFurtherLook();
  const failures = new Map<Named, ChainUnavailable>();
  let askedHeight = 0;
  return {
    failures,
    setBack(this: void, height: number): void {
      askedHeight = height;
    },
    /** @returns what each source was asked for, `third 1-50` */
    async poll(this: void, settledHeight: number) {
      const asked: string[] = [];
      const { warnings, ...found } = await look<Named, string>({
        nodes,
        used: [first, second],
        askedHeight,
        settledHeight,
        blocksMax: BLOCKS_MAX,
        async read([, further], fromHeight, toHeight) {
          const failure = failures.get(further!);
          if (failure) throw failure;
          asked.push(`${further!.transport.name} ${fromHeight}-${toHeight}`);
          return [];
        },
      });
      askedHeight = found.askedHeight!;
      vi.advanceTimersByTime(ASKED_EVERY_MS);
      return { asked, askedHeight, warnings };
    },
  };
}

test.each(['DOWN', 'LAGGING', 'INVALID_RESPONSE'] as const)(
  'a source that fails (%s) is asked later about what it has missed',
  async (reason) => {
    const { poll, failures } = openLook([first, second, third]);
    failures.set(third, new ChainUnavailable(reason, 'third'));
    expect(await poll(50)).toEqual({ asked: [], askedHeight: 0, warnings: [] });
    expect(await poll(90)).toEqual({ asked: [], askedHeight: 0, warnings: [] });
    failures.clear();
    expect(await poll(95)).toEqual({ asked: ['third 1-95'], askedHeight: 95, warnings: [] });
  },
);

test('a source that is away does not hold up another one', async () => {
  const { poll, failures } = openLook([first, second, third, fourth]);
  failures.set(fourth, new ChainUnavailable('DOWN', 'fourth'));
  expect(await poll(50)).toEqual({ asked: ['third 1-50'], askedHeight: 0, warnings: [] });
  expect(await poll(300)).toEqual({ asked: ['third 51-150'], askedHeight: 0, warnings: [] });
  expect(await poll(300)).toEqual({ asked: ['third 151-250'], askedHeight: 0, warnings: [] });
  failures.clear();
  expect(await poll(300)).toEqual({ asked: ['third 251-300', 'fourth 1-100'], askedHeight: 100, warnings: [] });
  expect(await poll(300)).toEqual({ asked: ['fourth 101-200'], askedHeight: 200, warnings: [] });
});

test('a difference is told until it ends, and the blocks are asked for again', async () => {
  const { poll, failures } = openLook([first, second, third]);
  failures.set(third, new ChainUnavailable('DISAGREEING', 'block 7'));
  const told = { asked: [], askedHeight: 0, warnings: [`${CONTRADICTION}: block 7`] };
  expect(await poll(50)).toEqual(told);
  expect(await poll(5000)).toEqual(told);
  failures.clear();
  expect(await poll(5000)).toEqual({ asked: ['third 1-100'], askedHeight: 100, warnings: [] });
});

test('what a source has deleted is passed', async () => {
  const { poll, failures } = openLook([first, second, third]);
  failures.set(third, new ChainUnavailable('PRUNED', 'third'));
  expect(await poll(50)).toEqual({ asked: [], askedHeight: 50, warnings: [] });
});

test('a cursor that was set back is asked about again', async () => {
  const { poll, setBack } = openLook([first, second, third]);
  await poll(80);
  setBack(20);
  expect(await poll(90)).toEqual({ asked: ['third 21-90'], askedHeight: 90, warnings: [] });
});
