/** One case of the comparison of relays: what a customer, the two ends of their tunnels and the operator do. */
import type { Random } from '../../../../tools/random.ts';
import { between } from '../plan.ts';

export type End = 'client' | 'origin';

/**
 * Each step ends when everything that was sent has arrived, so what follows does not depend on time.
 * `urgent`: urgent bytes (MSG_OOB), of which the gateway passes none, each before ordinary ones. `stall`: the end does not read until the
 * other one can send no more. `speed`: `isAwaited`: what follows comes when the gateway knows the limit. `late`: the credit ends in the middle, and the next grant comes when nothing moves any more.
 */
export type Step =
  | { readonly do: 'exchange'; readonly up: number; readonly down: number; readonly pieceBytes: number }
  | { readonly do: 'urgent'; readonly from: End; readonly times: number; readonly bytes: number }
  | { readonly do: 'stall'; readonly reader: End; readonly bytes: number }
  | { readonly do: 'speed'; readonly bytesPerSecond: number | null; readonly isAwaited: boolean }
  | { readonly do: 'late'; readonly from: End; readonly bytes: number };

/** `answer`: what the other end sends after it has seen the end. */
export type Finish =
  | { readonly how: 'ends'; readonly first: End; readonly last: number; readonly answer: number }
  | { readonly how: 'both-end'; readonly up: number; readonly down: number }
  | { readonly how: 'reset'; readonly by: End; readonly isAfterEnd: boolean }
  | { readonly how: 'reset-in-flight'; readonly by: End; readonly up: number; readonly down: number }
  | { readonly how: 'close'; readonly by: End; readonly answer: number }
  | { readonly how: 'spent'; readonly up: number; readonly down: number }
  | { readonly how: 'operator'; readonly act: 'end' | 'password' | 'destination'; readonly down: number }
  | { readonly how: 'idle'; readonly half: End | undefined }
  | { readonly how: 'ungranted'; readonly from: End; readonly bytes: number }
  | { readonly how: 'drain'; readonly isInTime: boolean };

export interface TunnelPlan {
  readonly protocol: 'socks5' | 'socks4' | 'http-connect';
  /** The client waits for each reply of its login. */
  readonly isInSteps: boolean;
  /** Offsets at which the handshake and the early data are split. */
  readonly cuts: readonly number[];
  readonly earlyBytes: number;
  readonly hasName: boolean;
  readonly steps: readonly Step[];
  readonly finish: Finish;
}

interface TunnelCase {
  readonly kind: 'tunnels';
  readonly index: number;
  readonly tunnels: readonly TunnelPlan[];
  /** The bytes that are paid; undefined: any number. */
  readonly allowedBytes: number | undefined;
  readonly isCap: boolean;
  readonly grantStepBytes: number;
  /** Has a speed limit when its tunnels begin: they use sockets of Node, also when native code has them later. */
  readonly isLimited: boolean;
  readonly exitAddress: string | null;
  /** The client has no password, but its address is listed. */
  readonly isListed: boolean;
}

export const REFUSALS = [
  'closed-port',
  'prohibited-port',
  'refused-destination',
  'missing-name',
  'no-credit',
  'ended',
  'wrong-password',
  'unlisted',
  'tunnel-limit',
] as const;

interface RefusalCase {
  readonly kind: 'refusal';
  readonly index: number;
  readonly why: (typeof REFUSALS)[number];
  readonly tunnel: TunnelPlan;
}

/** Guesses passwords, and then knows the right one. */
interface GuardCase {
  readonly kind: 'guard';
  readonly index: number;
  readonly guesses: number;
  readonly tunnel: TunnelPlan;
}

/** More clients of one network than may be without a login, of which some have sent a part of theirs. */
interface HalfOpenCase {
  readonly kind: 'half-open';
  readonly index: number;
  readonly sent: readonly number[];
}

/** An input of the other fuzz: valid or mutated. */
interface HandshakeCase {
  readonly kind: 'handshake';
  readonly index: number;
}

export type RelayCase = TunnelCase | RefusalCase | GuardCase | HalfOpenCase | HandshakeCase;

export const GUESSES_MAX = 3;
export const HALF_OPEN_MAX = 6;
const KIB = 1024;
/** Around the sizes at which a read, a buffer or a pipe is full. */
const EDGES = [16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB];

/** Mostly a few bytes, as of ping-pong, often around an edge, and seldom many. */
export function someBytes(random: Random): number {
  const roll = random.below(1_000);
  if (roll < 500) return random.below(600);
  if (roll < 750) return random.below(16_000);
  if (roll < 900) return random.pick(EDGES.slice(0, 3)) + between(random, -2, 2);
  if (roll < 985) return random.pick(EDGES) + between(random, -2, 2);
  return random.below(1_000_000);
}
