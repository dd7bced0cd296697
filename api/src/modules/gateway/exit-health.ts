/** What a check of an exit means for the sale of its proxies. Pure; exit-checks.service.ts applies it. */
import type { ExitHealth } from '@cellhop/contract/staff/inventory.values';

export interface ExitState {
  health: ExitHealth;
  /** A check of this exit has ever succeeded. */
  hasSucceeded: boolean;
  /** In a row, like `failures`. */
  successes: number;
  failures: number;
  /** How long checks have failed; null: the last one succeeded. */
  failingMs: number | null;
}

export interface CheckedState extends Pick<ExitState, 'health' | 'successes' | 'failures'> {
  isFailing: boolean;
  nextCheckMs: number;
}

/** One failure may be a lost packet, one success luck. */
const FAILURES_TO_UNHEALTHY = 2;
const SUCCESSES_TO_HEALTHY = 2;
const HEALTHY_CHECK_MS = 60_000;
const INCONCLUSIVE_CHECK_MS = 30_000;
/** The second check, which confirms a change, follows soon. */
const SECOND_CHECK_MS = 5_000;
const FAILING_CHECK_MS_MAX = 300_000;
/** Each pause is varied by a quarter, so that exits which were imported together are not checked together for ever. */
const JITTER = 0.5;

/**
 * UNCHECKED until the first success; HEALTHY after it; UNHEALTHY after two failures in a row, and HEALTHY again after two successes.
 * @param random between 0 and 1
 */
export function afterCheck(
  state: ExitState,
  outcome: 'ok' | 'failed' | 'inconclusive',
  random: () => number = Math.random,
): CheckedState {
  const soon = (ms: number) => Math.round(ms * (1 - JITTER / 2 + JITTER * random()));
  const { health, hasSucceeded, failingMs } = state;
  if (outcome === 'inconclusive')
    return { ...counters(state), health, isFailing: failingMs !== null, nextCheckMs: soon(INCONCLUSIVE_CHECK_MS) };
  if (outcome === 'ok') {
    const successes = state.successes + 1;
    const isHealthy = health !== 'UNHEALTHY' || successes >= SUCCESSES_TO_HEALTHY;
    return {
      health: isHealthy ? 'HEALTHY' : 'UNHEALTHY',
      successes,
      failures: 0,
      isFailing: false,
      nextCheckMs: soon(isHealthy ? HEALTHY_CHECK_MS : SECOND_CHECK_MS),
    };
  }
  const failures = state.failures + 1;
  return {
    health: health === 'HEALTHY' && failures >= FAILURES_TO_UNHEALTHY ? failed(hasSucceeded) : health,
    successes: 0,
    failures,
    isFailing: true,
    // The longer it has failed, the less often it is checked.
    nextCheckMs: soon(Math.min(FAILING_CHECK_MS_MAX, Math.max(SECOND_CHECK_MS, (failingMs ?? 0) / 10))),
  };
}

const counters = ({ successes, failures }: ExitState) => ({ successes, failures });

/** An exit that was sold before there were checks has never succeeded. */
const failed = (hasSucceeded: boolean): ExitHealth => (hasSucceeded ? 'UNHEALTHY' : 'UNCHECKED');
