/**
 * 10,000 exits, imported at once, checked by four gateways for twenty minutes of a simulated clock: the gateways' own code and the API's rules for
 * the next check, without network and database.
 * @module-tag thorough
 */
import type { ExitCheck } from '@cellhop/contract/exit-checks';
import type { Exit } from '@cellhop/contract/exits';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ExitChecks } from '../../../gateway/src/checks/exit-checks.ts';
import { defaultLimits } from '../../../gateway/src/limits.ts';
import { scaled } from '../../../tools/test-scale.ts';
import { afterCheck, type ExitState } from '../../src/modules/gateway/exit-health.ts';

const GATEWAYS = 4;
const EXITS = scaled(1_000, 10_000);
/** As many as a gateway with its quarter of 10,000 exits has at once, for fewer exits. */
const AT_ONCE = Math.ceil((defaultLimits.exitChecksAtOnce * EXITS) / 10_000);
const MINUTE_MS = 60_000;
const LATENCY_MS = 400;

interface SimulatedExit {
  state: ExitState;
  failingSince: number | undefined;
  isUrgent: boolean;
  nextAt: number;
  checkedAt: number[];
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The same numbers in each run. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const random = seeded();
let isOutage = false;

const nothing = () => {};
const check = async () => {
  await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
  return { outcome: isOutage ? 'failed' : 'ok' };
};

/** The control plane hands out what is due as `takeDue` does: urgent ones first, then the longest due. */
function startGateway(): Map<string, SimulatedExit> {
  const exits = new Map(
    Array.from({ length: EXITS / GATEWAYS }, (_, index): [string, SimulatedExit] => {
      const counters = { successes: 0, failures: 0, recentFailures: 0, failingMs: null };
      const state = { health: 'UNCHECKED' as const, hasSucceeded: false, ...counters };
      return [String(index), { state, failingSince: undefined, isUrgent: false, nextAt: Date.now(), checkedAt: [] }];
    }),
  );
  const save = ({ exitId, outcome }: ExitCheck) => {
    const exit = exits.get(exitId)!;
    const failingMs = exit.failingSince === undefined ? null : Date.now() - exit.failingSince;
    const { nextCheckMs, isUrgent, ...next } = afterCheck({ ...exit.state, failingMs }, outcome, random);
    exit.failingSince = outcome === 'ok' ? undefined : (exit.failingSince ?? Date.now());
    exit.state = { ...exit.state, ...next, hasSucceeded: exit.state.hasSucceeded || outcome === 'ok' };
    exit.isUrgent = isUrgent;
    exit.nextAt = Date.now() + nextCheckMs;
  };
  const takeDue = (wanted: number): Exit[] =>
    [...exits]
      .filter(([, { nextAt }]) => nextAt <= Date.now())
      .toSorted(([, a], [, b]) => Number(b.isUrgent) - Number(a.isUrgent) || a.nextAt - b.nextAt)
      .slice(0, wanted)
      .map(([id, exit]) => {
        exit.nextAt = Date.now() + 30_000;
        exit.checkedAt.push(Date.now());
        return { kind: 'local-address', id, address: null };
      });
  const control = {
    checkExits: async ({ checks, wanted }: { checks: ExitCheck[]; wanted: number }) => {
      for (const check of checks) save(check);
      return { due: takeDue(wanted), lostIds: [], echoAloneIds: [] };
    },
  };
  const gateway = new ExitChecks({
    control,
    exits: { get: ({ id }: Exit) => ({ id }), findId: nothing, setLost: nothing, setRotating: nothing },
    dialOutcomes: { unreached: nothing, isWorking: () => false, reached: nothing },
    performer: { check, close: nothing },
    capabilities: { close: nothing },
    connections: { open: [] },
    rotations: { exitsInUse: [], wanted: 0, reports: [], acknowledge: nothing, stop: nothing },
    isReady: () => true,
    limits: { ...defaultLimits, exitChecksAtOnce: AT_ONCE },
    metrics: { exitChecks: { inc: nothing } },
    log: pino({ level: 'silent' }),
  } as unknown as ConstructorParameters<typeof ExitChecks>[0]);
  gateway.start();
  return exits;
}

/** How many checks of all gateways began in each ten seconds of a span. */
function countByTenSeconds(gateways: readonly Map<string, SimulatedExit>[], from: number, to: number): number[] {
  const counts = Array.from({ length: (to - from) / 10_000 }, () => 0);
  for (const { checkedAt } of gateways.flatMap((exits) => [...exits.values()]))
    for (const at of checkedAt) if (at >= from && at < to) counts[Math.floor((at - from) / 10_000)]! += 1;
  return counts;
}

/** The longest time between two checks of an exit. */
function longestPause(gateways: readonly Map<string, SimulatedExit>[], from: number): number {
  const pauses = gateways.flatMap((exits) =>
    [...exits.values()].flatMap(({ checkedAt }) =>
      checkedAt.filter((at) => at >= from).map((at, index, all) => (index === 0 ? 0 : at - all[index - 1]!)),
    ),
  );
  return pauses.reduce((longest, pause) => Math.max(longest, pause), 0);
}

test(
  'exits that were imported, or have failed, at the same moment are soon checked evenly over time',
  { tags: ['long'] },
  async () => {
    const startedAt = Date.now();
    const gateways = Array.from({ length: GATEWAYS }, startGateway);
    const minutes = (count: number) => startedAt + count * MINUTE_MS;

    // Each exit is checked once within the time that 32 checks at a time take.
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(gateways.flatMap((exits) => [...exits.values()]).every(({ checkedAt }) => checkedAt.length > 0)).toBe(true);

    await vi.advanceTimersByTimeAsync(9 * MINUTE_MS);
    const mean = EXITS / 6;
    for (const count of countByTenSeconds(gateways, minutes(6), minutes(10))) {
      expect(count).toBeGreaterThan(mean * 0.75);
      expect(count).toBeLessThan(mean * 1.25);
    }
    expect(longestPause(gateways, minutes(6))).toBeLessThan(80_000);

    // Everything fails for two minutes, as when the line of the farm is cut.
    isOutage = true;
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    isOutage = false;
    await vi.advanceTimersByTimeAsync(8 * MINUTE_MS);
    for (const count of countByTenSeconds(gateways, minutes(16), minutes(20))) {
      expect(count).toBeGreaterThan(mean * 0.75);
      expect(count).toBeLessThan(mean * 1.25);
    }
    const states = gateways.flatMap((exits) => [...exits.values()].map(({ state }) => state.health));
    expect(new Set(states)).toEqual(new Set(['HEALTHY']));
  },
);
