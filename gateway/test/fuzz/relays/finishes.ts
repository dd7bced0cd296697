/** How tunnels end, and the reason that the gateway must give. */
import type { Random } from '../../../../tools/random.ts';
import { between, chance } from '../plan.ts';
import type { EndReason } from '../../../src/flows/flow.ts';
import { type End, type Finish, someBytes } from './plans.ts';

const end = (random: Random): End => random.pick(['client', 'origin'] as const);

export const finishKinds = {
  ends: (random) => ({
    how: 'ends',
    first: end(random),
    last: someBytes(random),
    answer: chance(random, 0.5) ? 0 : someBytes(random),
  }),
  'both-end': (random) => ({ how: 'both-end', up: someBytes(random), down: someBytes(random) }),
  reset: (random) => ({ how: 'reset', by: end(random), isAfterEnd: chance(random, 0.3) }),
  'reset-in-flight': (random) => ({
    how: 'reset-in-flight',
    by: end(random),
    up: someBytes(random),
    down: someBytes(random),
  }),
  close: (random) => ({ how: 'close', by: end(random), answer: chance(random, 0.5) ? 0 : between(random, 1, 1_000) }),
  spent: (random) => {
    const way = random.below(4);
    const [up, down] = [someBytes(random) + 1, someBytes(random) + 1];
    return { how: 'spent', up: way === 0 ? 0 : up, down: way === 1 ? 0 : down };
  },
  operator: (random) => ({
    how: 'operator',
    act: random.pick(['end', 'end', 'password', 'destination'] as const),
    down: 0,
  }),
  idle: (random) => ({ how: 'idle', half: random.pick([undefined, 'client', 'origin'] as const) }),
  ungranted: (random) => ({ how: 'ungranted', from: end(random), bytes: someBytes(random) + 30_000 }),
} satisfies Record<string, (random: Random) => Finish>;

/** Out of a thousand. Those that wait for a timeout are few. */
const SHARES: readonly (readonly [keyof typeof finishKinds, number])[] = [
  ['ends', 430],
  ['both-end', 120],
  ['reset', 140],
  ['reset-in-flight', 70],
  ['close', 90],
  ['spent', 110],
  ['operator', 30],
  ['idle', 5],
  ['ungranted', 5],
];

export function createFinish(random: Random): Finish {
  let roll = random.below(1_000);
  for (const [kind, share] of SHARES) {
    if (roll < share) return finishKinds[kind](random);
    roll -= share;
  }
  return finishKinds.ends(random);
}

/** Of a tunnel whose ends are as planned. */
export function reasonOf(finish: Finish, isCap: boolean): EndReason {
  switch (finish.how) {
    case 'ends':
    case 'both-end':
      return 'completed';
    case 'close':
      // An end to which nothing is sent any more is a clean one.
      return finish.answer === 0 ? 'completed' : failureOf(finish.by);
    case 'reset':
    case 'reset-in-flight':
      return failureOf(finish.by);
    case 'spent':
      return isCap ? 'cap-reached' : 'out-of-money';
    case 'operator':
      return ({ end: 'connection-ended', password: 'password-changed', destination: 'destination-refused' } as const)[
        finish.act
      ];
    case 'idle':
      return 'idle';
    case 'ungranted':
      return 'grant-timeout';
    case 'drain':
      return finish.isInTime ? 'completed' : 'shutdown';
  }
}

const failureOf = (by: End): EndReason => (by === 'client' ? 'client-failed' : 'exit-failed');
