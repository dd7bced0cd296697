/** What a check of an exit means for the sale of its proxies. Pure; exit-checks.service.ts applies it. */
import type { ExitHealth } from '@cellhop/contract/staff/inventory.values';

export interface ExitState {
  health: ExitHealth;
  /** A check of this exit has ever succeeded. */
  hasSucceeded: boolean;
  /** In a row, like `failures`. */
  successes: number;
  failures: number;
  /** A bit for each of the last checks, the last one lowest: 1 if it failed. Of failures in a row only the first two count. */
  recentFailures: number;
  /** How long checks have failed; null: the last one succeeded. */
  failingMs: number | null;
}

export interface CheckedState extends Pick<ExitState, 'health' | 'successes' | 'failures' | 'recentFailures'> {
  isFailing: boolean;
  nextCheckMs: number;
  /** The next check confirms a change, so it comes before those that are merely due. */
  isUrgent: boolean;
}

/** One failure may be a lost packet, one success luck. */
const FAILURES_TO_UNHEALTHY = 2;
const SUCCESSES_TO_HEALTHY = 2;
/** So many of the last checks are no accident, even with successes in between: customers would notice each of them. */
const RECENT_FAILURES_MAX = 4;
const RECENT_CHECKS = 20;
const HEALTHY_CHECK_MS = 60_000;
const INCONCLUSIVE_CHECK_MS = 30_000;
/** The second check, which confirms a change, follows soon. */
const SECOND_CHECK_MS = 5_000;
/** Of an exit that works at the moment, but has failed now and then. */
const UNRELIABLE_CHECK_MS = 25_000;
const FAILING_CHECK_MS_MAX = 300_000;
/** Each pause is varied by a quarter, so that exits which were imported together are not checked together for ever. */
const JITTER = 0.5;

/**
 * UNCHECKED until the first success; HEALTHY after it; UNHEALTHY after two failures in a row or a quarter of the last 20, and HEALTHY
 * again after two successes if fewer have failed.
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
    return {
      ...counters(state),
      health,
      isFailing: failingMs !== null,
      nextCheckMs: soon(INCONCLUSIVE_CHECK_MS),
      isUrgent: false,
    };
  if (outcome === 'ok') {
    const successes = state.successes + 1;
    const recentFailures = shifted(state.recentFailures, 0);
    const isConfirmed = successes >= SUCCESSES_TO_HEALTHY;
    const isHealthy = health !== 'UNHEALTHY' || (isConfirmed && isReliable(recentFailures));
    const unhealthyCheckMs = isConfirmed ? UNRELIABLE_CHECK_MS : SECOND_CHECK_MS;
    return {
      health: isHealthy ? 'HEALTHY' : 'UNHEALTHY',
      successes,
      failures: 0,
      recentFailures,
      isFailing: false,
      nextCheckMs: soon(isHealthy ? HEALTHY_CHECK_MS : unhealthyCheckMs),
      isUrgent: !isHealthy && !isConfirmed,
    };
  }
  const failures = state.failures + 1;
  // After an outage, however long, two successes are enough: only its beginning counts.
  const recentFailures = failures <= FAILURES_TO_UNHEALTHY ? shifted(state.recentFailures, 1) : state.recentFailures;
  const isUnhealthy = failures >= FAILURES_TO_UNHEALTHY || !isReliable(recentFailures);
  return {
    health: health === 'HEALTHY' && isUnhealthy ? failed(hasSucceeded) : health,
    successes: 0,
    failures,
    recentFailures,
    isFailing: true,
    // The longer it has failed, the less often it is checked.
    nextCheckMs: soon(Math.min(FAILING_CHECK_MS_MAX, Math.max(SECOND_CHECK_MS, (failingMs ?? 0) / 10))),
    isUrgent: health === 'HEALTHY' && !isUnhealthy,
  };
}

const counters = ({ successes, failures, recentFailures }: ExitState) => ({ successes, failures, recentFailures });

const shifted = (recentFailures: number, failure: 0 | 1) =>
  ((recentFailures << 1) | failure) & ((1 << RECENT_CHECKS) - 1);

const isReliable = (recentFailures: number) =>
  recentFailures.toString(2).replaceAll('0', '').length <= RECENT_FAILURES_MAX;

/** An exit that was sold before there were checks has never succeeded. */
const failed = (hasSucceeded: boolean): ExitHealth => (hasSucceeded ? 'UNHEALTHY' : 'UNCHECKED');
