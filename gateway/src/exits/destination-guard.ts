import { unmapped } from '../destination-policy.ts';
import type { Target } from '../protocol/host.ts';
import { isSpecialName } from '../protocol/special-names.ts';
import { TunnelFailure } from '../statuses.ts';
import type { DialAbort, Exit } from './exit.ts';

/** The guard of every exit: each address is checked in the exact bytes to which traffic is sent. */
export interface DestinationGuard {
  isAllowed(address: Uint8Array, port: number): boolean;
  /** Changes whenever `isAllowed` may have another result for the same address. */
  readonly revision: number;
  /**
   * Resolves a name once and returns the checked addresses that the exit reaches. `connect` and `send` never get a name,
   * which prevents DNS rebinding.
   * @throws TunnelFailure if there are none
   */
  addressesFor(exit: Exit, target: Target, abort: DialAbort): Promise<Uint8Array[]>;
}

const LOOPBACK = [Uint8Array.of(127, 0, 0, 1), Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0))];

/** @param revision changes when the addresses that `isAllowed` knows were read again */
export function createGuard(
  isAllowed: DestinationGuard['isAllowed'],
  revision: () => number = () => 0,
): DestinationGuard {
  const addressesFor = async (exit: Exit, { host, port }: Target, abort: DialAbort) => {
    const resolved = host.kind === 'address' ? [host.bytes] : await resolve(exit, host.name, abort);
    const allowed = resolved.map(unmapped).filter((address) => isAllowed(address, port));
    if (allowed.length === 0) throw new TunnelFailure('destination-prohibited');
    const reachable = allowed.filter((address) => exit.reaches(address));
    if (reachable.length === 0) throw new TunnelFailure('network-unreachable');
    return reachable;
  };
  return {
    isAllowed,
    addressesFor,
    get revision() {
      return revision();
    },
  };
}

/** `localhost` has the loopback addresses (RFC 6761, section 6.3); other special names do not exist. */
async function resolve(exit: Exit, name: string, abort: DialAbort): Promise<Uint8Array[]> {
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
  if (isSpecialName(name)) throw new TunnelFailure('name-not-found');
  return exit.resolve(name, abort);
}
