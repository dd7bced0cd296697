import { describe, expect, it } from 'vitest';
import { afterCheck, type CheckedState, type ExitState } from './exit-health.ts';

const fresh: ExitState = {
  health: 'UNCHECKED',
  hasSucceeded: false,
  successes: 0,
  failures: 0,
  recentFailures: 0,
  failingMs: null,
};
type Outcome = Parameters<typeof afterCheck>[1];

/** @returns the states after these checks, a second apart */
function run(outcomes: readonly Outcome[], from: ExitState = fresh): CheckedState[] {
  let state = from;
  return outcomes.map((outcome) => {
    const checked = afterCheck(state, outcome, () => 0.5);
    state = {
      ...checked,
      hasSucceeded: state.hasSucceeded || outcome === 'ok',
      failingMs: checked.isFailing ? (state.failingMs ?? 0) + 1000 : null,
    };
    return checked;
  });
}
const healths = (outcomes: readonly Outcome[], from?: ExitState) => run(outcomes, from).map(({ health }) => health);
const working: ExitState = { ...fresh, health: 'HEALTHY', hasSucceeded: true, successes: 5 };

describe('an exit', () => {
  it('is unchecked until its first success, however often its checks fail', () => {
    expect(healths(['failed', 'failed', 'failed', 'ok'])).toEqual(['UNCHECKED', 'UNCHECKED', 'UNCHECKED', 'HEALTHY']);
  });

  it('is unhealthy after two failures in a row, and healthy after two successes in a row', () => {
    expect(healths(['failed', 'ok', 'failed', 'failed', 'ok', 'failed', 'ok', 'ok'], working)).toEqual([
      'HEALTHY',
      'HEALTHY',
      'HEALTHY',
      'UNHEALTHY',
      'UNHEALTHY',
      'UNHEALTHY',
      'UNHEALTHY',
      'HEALTHY',
    ]);
  });

  it('stays what it is while the echo does not work', () => {
    expect(healths(['inconclusive', 'failed', 'inconclusive', 'failed', 'inconclusive'], working)).toEqual([
      'HEALTHY',
      'HEALTHY',
      'HEALTHY',
      'UNHEALTHY',
      'UNHEALTHY',
    ]);
    expect(healths(['inconclusive', 'ok'])).toEqual(['UNCHECKED', 'HEALTHY']);
  });

  it('that was sold before there were checks goes back to unchecked', () => {
    expect(healths(['failed', 'failed', 'ok'], { ...working, hasSucceeded: false, successes: 0 })).toEqual([
      'HEALTHY',
      'UNCHECKED',
      'HEALTHY',
    ]);
  });
});

/** A generator of numbers between 0 and 1 that are the same in each run (mulberry32). */
function generator(seed = 1): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TEN_HOURS_MS = 36_000_000;

/** @returns the share of ten hours in which the exit is for sale, by checks at the times that follow from them */
function shareHealthy(isUp: (seconds: number, random: () => number) => boolean): number {
  const random = generator();
  const state = { ...working };
  let [healthyMs, nowMs] = [0, 0];
  while (nowMs < TEN_HOURS_MS) {
    const checked = afterCheck(state, isUp(nowMs / 1000, random) ? 'ok' : 'failed', random);
    Object.assign(state, checked, { failingMs: checked.isFailing ? (state.failingMs ?? 0) + 1000 : null });
    if (checked.health === 'HEALTHY') healthyMs += checked.nextCheckMs;
    nowMs += checked.nextCheckMs;
  }
  return healthyMs / TEN_HOURS_MS;
}

describe('an exit that works now and then', () => {
  const [works, fails] = [['ok', 'ok', 'ok'] as const, 'failed'] as const;

  it('is unhealthy when a quarter of the last 20 checks has failed, until fewer have', () => {
    const outcomes: Outcome[] = Array.from({ length: 5 }, () => [...works, fails]).flat();
    expect(healths(outcomes, working).slice(-5)).toEqual([...Array.from({ length: 4 }, () => 'HEALTHY'), 'UNHEALTHY']);
    expect(healths([...outcomes, ...works, 'ok'], working).slice(-4)).toEqual([
      'UNHEALTHY',
      'UNHEALTHY',
      'UNHEALTHY',
      'HEALTHY',
    ]);
  });

  it('is not for sale for most of the time, whether half of all fails or it is up for 8 s and down for 8 s', () => {
    expect(shareHealthy((_, random) => random() < 0.5)).toBeLessThan(0.1);
    expect(shareHealthy((seconds) => Math.floor(seconds / 8) % 2 === 0)).toBeLessThan(0.1);
    expect(shareHealthy((_, random) => random() < 0.98)).toBeGreaterThan(0.95);
  });

  it('is for sale after two successes if it failed once, for however long', () => {
    const outage = Array.from({ length: 50 }, () => fails);
    expect(healths([...outage, 'ok', 'ok'], working).slice(-2)).toEqual(['UNHEALTHY', 'HEALTHY']);
  });
});

const pauseSeconds = (state: ExitState, outcome: Outcome, random = 0.5) =>
  afterCheck(state, outcome, () => random).nextCheckMs / 1000;
const isUrgent = (state: ExitState, outcome: Outcome) => afterCheck(state, outcome).isUrgent;
const afterFailing = (failingMs: number) => pauseSeconds({ ...working, health: 'UNHEALTHY', failingMs }, 'failed');

describe('the next check', () => {
  it('comes after a minute, and soon if it confirms a change', () => {
    expect(pauseSeconds(working, 'ok')).toBe(60);
    expect(pauseSeconds(working, 'failed')).toBe(5);
    expect(pauseSeconds({ ...working, health: 'UNHEALTHY', successes: 0 }, 'ok')).toBe(5);
    expect(pauseSeconds(working, 'inconclusive')).toBe(30);
    expect(pauseSeconds({ ...working, health: 'UNHEALTHY', recentFailures: 0b11111 }, 'ok')).toBe(25);
  });

  it('is urgent if it confirms a change', () => {
    expect(isUrgent(working, 'failed')).toBe(true);
    expect(isUrgent({ ...working, health: 'UNHEALTHY', successes: 0 }, 'ok')).toBe(true);
    expect(isUrgent({ ...working, failures: 1 }, 'failed')).toBe(false);
    expect([isUrgent(working, 'ok'), isUrgent(fresh, 'failed'), isUrgent(working, 'inconclusive')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('comes later, the longer the exit has failed', () => {
    expect([0, 60_000, 180_000, 3_600_000, 86_400_000].map(afterFailing)).toEqual([5, 6, 18, 300, 300]);
  });

  it('is varied by a quarter', () => {
    expect([0, 1].map((random) => pauseSeconds(working, 'ok', random))).toEqual([45, 75]);
  });
});
