import { expect, it } from 'vitest';
import type { FailureCause } from '../statuses.ts';
import { UpstreamWatch } from './upstream-watch.ts';

function watch({ lostAfterMs = 60_000 } = {}) {
  const state = { now: 0, outcome: undefined as FailureCause | undefined, changes: [] as (FailureCause | undefined)[] };
  const watched = new UpstreamWatch({
    checkMs: 10_000,
    lostAfterMs,
    probe: () => Promise.resolve(state.outcome),
    changed: (cause) => state.changes.push(cause),
    now: () => state.now,
    random: () => 0.5,
  });
  const checkAfter = async (ms: number) => {
    state.now += ms;
    if (watched.isDue) await watched.run();
  };
  return { state, watched, checkAfter };
}

it('is lost only after checks have failed for the whole time', async () => {
  const { state, watched, checkAfter } = watch();
  await checkAfter(10_000);
  state.outcome = 'upstream-unreachable';
  for (let check = 0; check < 6; check += 1) await checkAfter(10_000);
  expect(watched.isLost).toBe(false);
  await checkAfter(10_000);
  expect(watched.isLost).toBe(true);
  expect(state.changes).toEqual(['upstream-unreachable']);
});

it('starts over after one success, of a check or of a tunnel', async () => {
  const { state, watched, checkAfter } = watch();
  state.outcome = 'upstream-timeout';
  await checkAfter(10_000);
  await checkAfter(50_000);
  watched.worked();
  await checkAfter(10_000);
  expect(watched.isLost).toBe(false);
  expect(state.changes).toEqual(['upstream-timeout', undefined, 'upstream-timeout']);
});

it('is not lost after a single failure', () => {
  const { state, watched } = watch();
  watched.failed('upstream-auth-failed');
  state.now += 600_000;
  expect(watched.isLost).toBe(false);
});

it('is never lost without a limit, and checks no more often than configured', async () => {
  const { state, watched, checkAfter } = watch({ lostAfterMs: 0 });
  state.outcome = 'upstream-unreachable';
  await checkAfter(9_999);
  expect(state.changes).toEqual([]);
  for (let check = 0; check < 100; check += 1) await checkAfter(10_000);
  expect(watched.isLost).toBe(false);
});
