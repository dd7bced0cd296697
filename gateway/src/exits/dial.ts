import type { Limits } from '../limits.ts';
import type { Target } from '../protocol/host.ts';
import { isUpstreamDown, toDialFailure, TunnelFailure } from '../statuses.ts';
import type { DestinationGuard } from './destination-guard.ts';
import type { DialOutcomes } from './dial-outcomes.ts';
import { DialAbort, type DialledStream, type Endpoint, type Exit } from './exit.ts';
import { staggered } from './staggered.ts';

interface DialSettings {
  readonly guard: DestinationGuard;
  readonly limits: Pick<
    Limits,
    'addressAttempts' | 'dialAttemptMs' | 'dialMs' | 'extraDialsPerDestination' | 'extraDialsPerNode'
  >;
  /** The dials of this node that run at the same time as an earlier one to the same destination. */
  readonly extraDials: { count: number };
  /** Not for the requests of checks. */
  readonly outcomes?: Pick<DialOutcomes, 'worked' | 'failed'>;
}

/** @throws TunnelFailure */
export type Dial = (exit: Exit, target: Target, abort: DialAbort) => Promise<DialledStream>;

/** Dials the checked addresses of a destination, and uses the first connection ("Happy Eyeballs", RFC 8305). */
export function createDial({ guard, limits, extraDials, outcomes }: DialSettings): Dial {
  return outcomes ? withOutcomes(dial, outcomes, limits.dialAttemptMs) : dial;

  async function dial(exit: Exit, target: Target, abort: DialAbort): Promise<DialledStream> {
    const { host, port } = target;
    const checked = guard.addressesFor(exit, target, abort);
    const found = checked instanceof Promise ? await checked : checked;
    const addresses = interleaved(found).slice(0, limits.addressAttempts);
    const [only] = addresses;
    const stream =
      addresses.length > 1 || only === undefined
        ? await race(exit, addresses, port, abort)
        : await connect(exit, { address: only, port }, limits.dialMs, abort);
    // The operator may have refused it meanwhile, when it was no tunnel yet that could be ended.
    if (!guard.isRefused({ host, address: stream.address })) return stream;
    stream.side.close();
    throw new TunnelFailure('destination-refused');
  }

  /** While others run, attempts are only added within limits; then an address is tried when an earlier one has failed. */
  function race(exit: Exit, addresses: readonly Uint8Array[], port: number, abort: DialAbort): Promise<DialledStream> {
    const attempts = new DialAbort();
    const unsubscribe = abort.whenAborted(() => attempts.abort());
    let inProgress = 0;

    async function attempt(index: number): Promise<DialledStream> {
      const isExtra = inProgress > 0;
      inProgress += 1;
      if (isExtra) extraDials.count += 1;
      // The last address may use all of the remaining time.
      const timeoutMs = index === addresses.length - 1 ? limits.dialMs : limits.dialAttemptMs;
      try {
        return await connect(exit, { address: addresses[index]!, port }, timeoutMs, attempts);
      } finally {
        inProgress -= 1;
        if (isExtra) extraDials.count -= 1;
      }
    }

    return staggered({
      count: addresses.length,
      delayMs: exit.attemptDelayMs,
      mayOverlap: () => inProgress <= limits.extraDialsPerDestination && extraDials.count < limits.extraDialsPerNode,
      attempt,
      isFatal: (error) => abort.isAborted || isUpstreamDown(toDialFailure(error).failure),
      discard: ({ side }) => side.close(),
      settled: () => {
        unsubscribe();
        attempts.abort();
      },
    });
  }
}

async function connect(exit: Exit, to: Endpoint, timeoutMs: number, abort: DialAbort): Promise<DialledStream> {
  try {
    return Object.assign(await exit.connect(to, timeoutMs, abort), { address: to.address });
  } catch (error) {
    throw toDialFailure(error);
  }
}

/** Alternates between the address families, beginning with that of the first address (RFC 8305, section 4). */
function interleaved(addresses: readonly Uint8Array[]): readonly Uint8Array[] {
  const first = addresses.filter(({ length }) => length === addresses[0]?.length);
  if (first.length === addresses.length) return addresses;
  const other = addresses.filter(({ length }) => length !== addresses[0]?.length);
  const longest = Math.max(first.length, other.length);
  return Array.from({ length: longest }, (_, index) => [first[index], other[index]])
    .flat()
    .filter((address) => address !== undefined);
}

/** @param leftEarlyMs a dial that was aborted before is the client's doing, and says nothing */
function withOutcomes(dial: Dial, outcomes: Pick<DialOutcomes, 'worked' | 'failed'>, leftEarlyMs: number): Dial {
  return async (exit, target, abort) => {
    const startedAt = performance.now();
    try {
      const stream = await dial(exit, target, abort);
      outcomes.worked(exit);
      return stream;
    } catch (error) {
      const hasLeft = abort.isAborted && performance.now() - startedAt < leftEarlyMs;
      if (!hasLeft) outcomes.failed(exit, target, toDialFailure(error).failure);
      throw error;
    }
  };
}
