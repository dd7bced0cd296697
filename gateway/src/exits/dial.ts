import { type DestinationPolicy, isDestinationAllowed, unmapped } from '../destination-policy.ts';
import type { Limits } from '../limits.ts';
import type { Target } from '../protocol/host.ts';
import { failureOfDial, TunnelFailure } from '../statuses.ts';
import type { DialAbort } from './dial-abort.ts';
import type { Exit, ExitStream } from './exit.ts';

interface DialSettings {
  readonly policy: DestinationPolicy;
  readonly limits: Pick<Limits, 'addressAttempts' | 'dialAttemptMs' | 'dialMs'>;
}

/** @throws TunnelFailure */
export type Dial = (exit: Exit, target: Target, abort: DialAbort) => Promise<ExitStream>;

const LOOPBACK = [Uint8Array.of(127, 0, 0, 1), Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0))];

/** The guard of every exit: resolves a name once, checks each address, and dials only checked addresses. */
export function createDial({ policy, limits }: DialSettings): Dial {
  return async (exit, target, abort) => {
    const { host, port } = target;
    const resolved = host.kind === 'address' ? [host.bytes] : await resolve(exit, host.name, abort);
    // Checks the exact bytes that are dialled below. `connect` never gets a name, which prevents DNS rebinding.
    const allowed = resolved.map(unmapped).filter((bytes) => isDestinationAllowed(policy, bytes, port));
    if (allowed.length === 0) throw new TunnelFailure('destination-refused');
    const reachable = allowed.filter((bytes) => exit.reaches(bytes));
    if (reachable.length === 0) throw new TunnelFailure('network-unreachable');
    return connectFirst(exit, reachable.slice(0, limits.addressAttempts), port, abort);
  };

  async function connectFirst(exit: Exit, addresses: Uint8Array[], port: number, abort: DialAbort) {
    let failure: TunnelFailure | undefined;
    for (const [index, address] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      // The last address may use all of the remaining time.
      const timeoutMs = isLast ? limits.dialMs : limits.dialAttemptMs;
      try {
        return await exit.connect({ address, port }, timeoutMs, abort);
      } catch (error) {
        failure = failureOfDial(error);
        if (abort.isAborted) break;
      }
    }
    throw failure ?? new TunnelFailure('exit-unavailable');
  }
}

/** Special-use names are never sent to a name server (RFC 6761, sections 6.3 and 6.4). */
async function resolve(exit: Exit, name: string, abort: DialAbort): Promise<Uint8Array[]> {
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
  if (name === 'invalid' || name.endsWith('.invalid')) throw new TunnelFailure('name-unknown');
  return exit.resolve(name, abort);
}
