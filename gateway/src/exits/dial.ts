import type { Limits } from '../limits.ts';
import type { Target } from '../protocol/host.ts';
import { toDialFailure, isUpstreamDown, TunnelFailure } from '../statuses.ts';
import type { DestinationGuard } from './destination-guard.ts';
import type { DialAbort, Exit, ExitStream } from './exit.ts';

interface DialSettings {
  readonly guard: DestinationGuard;
  readonly limits: Pick<Limits, 'addressAttempts' | 'dialAttemptMs' | 'dialMs'>;
}

/** @throws TunnelFailure */
export type Dial = (exit: Exit, target: Target, abort: DialAbort) => Promise<ExitStream>;

/** Dials the checked addresses of a destination in turn. */
export function createDial({ guard, limits }: DialSettings): Dial {
  return async (exit, target, abort) => {
    const addresses = await guard.addressesFor(exit, target, abort);
    return connectFirst(exit, addresses.slice(0, limits.addressAttempts), target.port, abort);
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
        failure = toDialFailure(error);
        if (abort.isAborted || isUpstreamDown(failure.failure)) break;
      }
    }
    throw failure ?? new TunnelFailure('exit-unavailable');
  }
}
