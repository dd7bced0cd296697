/** Generates the cases, deterministically from seed and index. */
import { createRandom, type Random } from '../../../../tools/random.ts';
import { between, chance } from '../plan.ts';
import { createFinish, finishKinds } from './finishes.ts';
import {
  type Finish,
  GUESSES_MAX,
  HALF_OPEN_MAX,
  REFUSALS,
  type RelayCase,
  someBytes,
  type Step,
  type TunnelPlan,
} from './plans.ts';

type TunnelsCase = RelayCase & { readonly kind: 'tunnels' };

const MIB = 1_048_576;
const STALL_BYTES = 5 * MIB;
/** Bytes in a second, which hold up nothing. */
const FAST = 100_000_000;

export function createCase(seed: number, index: number): RelayCase {
  const random = createRandom(Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0x9e3779b1));
  const roll = random.below(1_000);
  if (roll < 45) return { kind: 'handshake', index };
  if (roll < 85)
    return {
      kind: 'refusal',
      index,
      why: random.pick(REFUSALS),
      tunnel: createTunnel(random, [], finishKinds.ends(random)),
    };
  if (roll < 92)
    return {
      kind: 'guard',
      index,
      guesses: between(random, 0, GUESSES_MAX + 2),
      tunnel: createTunnel(random, [], finishKinds.ends(random)),
    };
  if (roll < 97)
    return {
      kind: 'half-open',
      index,
      sent: Array.from({ length: between(random, HALF_OPEN_MAX, HALF_OPEN_MAX + 4) }, () => random.below(4)),
    };
  return createTunnels(random, index);
}

/** A case that is in the middle of its tunnels when the gateway begins to drain. */
export function createDrainCase(seed: number, index: number): TunnelsCase {
  const random = createRandom(Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0x9e3779b1));
  const tunnel = createTunnel(random, [exchange(random)], { how: 'drain', isInTime: chance(random, 0.5) });
  return { ...settingsOf(random), kind: 'tunnels', index, tunnels: [tunnel], isListed: false };
}

function createTunnels(random: Random, index: number): TunnelsCase {
  const settings = settingsOf(random);
  const roll = random.below(1_000);
  let finish = createFinish(random);
  if (finish.how === 'spent') return createSpent(random, index, finish);
  // Who logs in by their address does not feel a change of the password.
  const isListed = settings.isListed && !(finish.how === 'operator' && finish.act === 'password');
  if (finish.how === 'ungranted' || roll < 60) {
    const late: Step = { do: 'late', from: random.pick(['client', 'origin']), bytes: someBytes(random) + 30_000 };
    if (finish.how === 'close') finish = { ...finish, answer: 0 };
    const steps = finish.how === 'ungranted' ? [] : [late];
    // Less than a report asks for, so that the credit ends before what is sent.
    return {
      ...settings,
      kind: 'tunnels',
      index,
      isListed,
      grantStepBytes: between(random, 1, 20_000),
      tunnels: [{ ...createTunnel(random, steps, finish), earlyBytes: 0 }],
    };
  }
  const count = chance(random, 0.85) ? 1 : between(random, 2, 3);
  const grantStepBytes = chance(random, 0.15)
    ? random.pick([1_500, 20_000, 65_536, 65_537, 200_000])
    : settings.grantStepBytes;
  const isSmall = grantStepBytes < 70_000;
  const isShared = finish.how === 'operator' || finish.how === 'idle';
  const isAlone = count === 1;
  const isLimited = isAlone && chance(random, 0.06);
  const unlimited: Step[] = isLimited ? [{ do: 'speed', bytesPerSecond: null, isAwaited: true }] : [];
  const tunnels = Array.from({ length: count }, () =>
    createTunnel(
      random,
      [...unlimited, ...createSteps(random, isSmall, isAlone)],
      isShared ? finish : createFinishOfOne(random, isSmall),
    ),
  );
  return { ...settings, kind: 'tunnels', index, grantStepBytes, isLimited, tunnels, isListed };
}

/** Finishes that concern one tunnel of several. @param isSmall grants are, so that what is sent may wait */
function createFinishOfOne(random: Random, isSmall: boolean): Finish {
  const { ends, reset, close } = finishKinds;
  const finish = random.pick([ends, ends, finishKinds['both-end'], reset, finishKinds['reset-in-flight'], close])(
    random,
  );
  return isSmall && finish.how === 'close' ? { ...finish, answer: 0 } : finish;
}

function createSpent(random: Random, index: number, finish: Finish): TunnelsCase {
  const steps = chance(random, 0.5) ? [exchange(random)] : [];
  const tunnels = Array.from({ length: chance(random, 0.8) ? 1 : 2 }, () => createTunnel(random, steps, finish));
  const before =
    tunnels.reduce((sum, { earlyBytes }) => sum + earlyBytes, 0) +
    tunnels.length * steps.reduce((sum, { up, down }) => sum + up + down, 0);
  const { up, down } = finish as Finish & { how: 'spent' };
  // At least one byte more than is paid, or exactly as many.
  const most = tunnels.length * (up + down);
  const allowedBytes = before + (chance(random, 0.2) ? most : between(random, 1, most));
  return {
    ...settingsOf(random),
    kind: 'tunnels',
    index,
    tunnels,
    allowedBytes,
    isCap: chance(random, 0.3),
    isListed: false,
  };
}

function settingsOf(random: Random) {
  return {
    allowedBytes: undefined as number | undefined,
    isCap: false,
    grantStepBytes: 64 * MIB,
    isLimited: false,
    exitAddress: chance(random, 0.5) ? null : '127.0.0.1',
    isListed: chance(random, 0.03),
  };
}

function createTunnel(random: Random, steps: readonly Step[], finish: Finish): TunnelPlan {
  const isInSteps = chance(random, 0.4);
  const cuts = Array.from({ length: chance(random, 0.6) ? 0 : between(random, 1, 5) }, () => random.below(160));
  const earlyBytes = isInSteps || chance(random, 0.6) ? 0 : someBytes(random) % 60_000;
  return {
    protocol: random.pick(['socks5', 'socks5', 'socks4', 'http-connect']),
    isInSteps,
    cuts: cuts.sort((one, other) => one - other),
    earlyBytes,
    hasName: chance(random, 0.15),
    steps,
    finish,
  };
}

function createSteps(random: Random, isSmall: boolean, isAlone: boolean): Step[] {
  const steps: Step[] = [];
  for (let count = between(random, 0, 3); count > 0; count -= 1) {
    const roll = random.below(1_000);
    if (isSmall || roll < 860) steps.push(exchange(random, isSmall ? 30_000 : undefined));
    else if (roll < 920)
      steps.push({
        do: 'urgent',
        from: random.pick(['client', 'origin']),
        times: between(random, 1, 3),
        bytes: random.below(3_000),
      });
    else if (roll < 940) {
      // TypeScript then has what the reader does not take, also of sockets of native code.
      if (isAlone && chance(random, 0.5)) steps.push({ do: 'speed', bytesPerSecond: FAST, isAwaited: true });
      steps.push({ do: 'stall', reader: random.pick(['client', 'origin']), bytes: STALL_BYTES });
    } else {
      const bytesPerSecond = chance(random, 0.6) ? between(random, 1_000_000, 20_000_000) : null;
      steps.push({ do: 'speed', bytesPerSecond, isAwaited: isAlone && chance(random, 0.5) });
    }
  }
  return steps;
}

function exchange(random: Random, mostBytes = Number.POSITIVE_INFINITY): Step & { do: 'exchange' } {
  const way = random.below(3);
  const [up, down] = [someBytes(random), someBytes(random)].map((bytes) => Math.min(bytes, mostBytes));
  const bytes = { up: way === 1 ? 0 : (up ?? 0), down: way === 0 ? 0 : (down ?? 0) };
  const most = Math.max(bytes.up, bytes.down);
  const pieces = random.pick([1, 1, 2, 5, 20]);
  return { do: 'exchange', ...bytes, pieceBytes: Math.max(1, Math.ceil(most / pieces)) };
}
