/** One input of the fuzz run: the bytes of a client, how they are sent, and how the destination behaves. */
import type { Random } from '../../../tools/random.ts';

/** How a client ends. `wait`: it waits for the gateway's end. */
export type Leaving = 'wait' | 'end' | 'reset' | 'destroy';

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The values that all inputs of a run share. */
export interface RunContext {
  readonly originPort: number;
  readonly gatewayPort: number;
  /** With more credit than the run can use. */
  readonly logins: readonly Login[];
  /** Its credit ends during the run. */
  readonly poorLogin: Login;
}

/** The destination of a tunnel. */
export interface TunnelOrigin {
  readonly protocol: 'tunnel';
  readonly behaviour: 'echo' | 'greet' | 'download' | 'half-close' | 'reset' | 'refuse';
  readonly bytes: number;
}

/** The destination of absolute-form requests: `response` names an entry of http-responses.ts. */
export interface HttpOrigin {
  readonly protocol: 'http';
  readonly response: string;
  readonly bytes: number;
}

export interface Draft {
  readonly kind: string;
  /** Messages in order. Mutations may change one, drop it or send it twice. */
  readonly parts: readonly Buffer[];
  readonly origin: TunnelOrigin | HttpOrigin;
  readonly leaving: Leaving;
}

export interface Plan {
  readonly index: number;
  readonly kind: string;
  readonly mutations: readonly string[];
  readonly bytes: Buffer;
  /** Offsets at which the bytes are split. */
  readonly cuts: readonly number[];
  /** Between two pieces; 0 is one turn of the event loop. */
  readonly pauseMs: number;
  readonly leaving: Leaving;
  /** Delay after the last piece. */
  readonly leaveAfterMs: number;
  readonly readMode: 'immediately' | 'delayed' | 'never';
  readonly origin: TunnelOrigin | HttpOrigin;
}

const LOOPBACK_FIRST = 64;

/** Each input has a separate destination address, so that an origin knows which input dialled it. */
export function addressFor(index: number): string {
  return `127.${LOOPBACK_FIRST + ((index >> 16) & 63)}.${(index >> 8) & 255}.${index & 255}`;
}

export const nameFor = (index: number) => `input-${index}.test`;

/** The address that the name server of the run returns for a name. */
export function addressOfName(name: string): string | undefined {
  const [, digits] = /^input-(\d{1,9})\.test$/i.exec(name) ?? [];
  return digits === undefined ? undefined : addressFor(Number(digits));
}

export const chance = (random: Random, share: number) => random.below(1_000_000) < share * 1_000_000;

export const between = (random: Random, min: number, max: number) => min + random.below(max - min + 1);

export function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = random.below(256);
  return bytes;
}

const PATTERN = Buffer.from(Array.from({ length: 2_097_152 }, (_, at) => 97 + ((at * 7 + (at >> 8)) % 26)));

/** Text without line ends, so that it never looks like a protocol message. */
export const pattern = (length: number) => PATTERN.subarray(0, length);

/** Usually a few bytes, sometimes more than one read of the gateway. */
export function someBytes(random: Random): number {
  const kind = random.below(1_000);
  if (kind < 100) return 0;
  if (kind < 900) return random.below(400);
  if (kind < 990) return random.below(8_000);
  return kind < 998 ? random.below(70_000) : random.below(600_000);
}
