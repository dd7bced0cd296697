import { describe, expect, it } from 'vitest';
import { afterCheck, type CheckedState, type ExitState } from './exit-health.ts';

const fresh: ExitState = { health: 'UNCHECKED', hasSucceeded: false, successes: 0, failures: 0, failingMs: null };
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
const working: ExitState = { health: 'HEALTHY', hasSucceeded: true, successes: 5, failures: 0, failingMs: null };

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

const pauseSeconds = (state: ExitState, outcome: Outcome, random = 0.5) =>
  afterCheck(state, outcome, () => random).nextCheckMs / 1000;
const afterFailing = (failingMs: number) => pauseSeconds({ ...working, health: 'UNHEALTHY', failingMs }, 'failed');

describe('the next check', () => {
  it('comes after a minute, and soon if it confirms a change', () => {
    expect(pauseSeconds(working, 'ok')).toBe(60);
    expect(pauseSeconds(working, 'failed')).toBe(5);
    expect(pauseSeconds({ ...working, health: 'UNHEALTHY', successes: 0 }, 'ok')).toBe(5);
    expect(pauseSeconds(working, 'inconclusive')).toBe(30);
  });

  it('comes later, the longer the exit has failed', () => {
    expect([0, 60_000, 180_000, 3_600_000, 86_400_000].map(afterFailing)).toEqual([5, 6, 18, 300, 300]);
  });

  it('is varied by a quarter', () => {
    expect([0, 1].map((random) => pauseSeconds(working, 'ok', random))).toEqual([45, 75]);
  });
});
