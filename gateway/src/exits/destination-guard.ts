import { unmapped } from '../destination-policy.ts';
import type { Target } from '../protocol/host.ts';
import { isSpecialName } from '../protocol/special-names.ts';
import { TunnelFailure } from '../statuses.ts';
import type { DialAbort, Exit, Resolved } from './exit.ts';
import { type Destination, RefusedDestinations } from './refused-destinations.ts';

/** The guard of every exit: each address is checked in the exact bytes to which traffic is sent. */
export interface DestinationGuard {
  isAllowed(address: Uint8Array, port: number): boolean;
  /** Whether the operator refuses the destination. */
  isRefused(destination: Destination): boolean;
  /** Changes whenever `isAllowed` or `isRefused` may have another result for the same destination. */
  readonly revision: number;
  /**
   * Resolves a name once and returns the checked addresses that the exit reaches. `connect` and `send` never get a name,
   * which prevents DNS rebinding.
   * @throws TunnelFailure if there are none
   */
  addressesFor(exit: Exit, target: Target, abort: DialAbort): Resolved;
}

const LOOPBACK = [Uint8Array.of(127, 0, 0, 1), Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0))];

const noneRefused = new RefusedDestinations();

/** Names of an exit's destinations. */
type Resolve = (exit: Exit, name: string, abort: DialAbort) => Resolved;

export interface GuardSettings {
  /** By the operator, to customers alone: checks of this node may go there. */
  readonly refused?: RefusedDestinations;
  /** Changes when the addresses that `isAllowed` knows were read again. */
  readonly revision?: () => number;
  readonly isForChecks?: boolean;
}

export function createGuard(
  isAllowed: DestinationGuard['isAllowed'],
  { refused = noneRefused, revision = () => 0, isForChecks = false }: GuardSettings = {},
): DestinationGuard {
  const resolveName: Resolve = isForChecks
    ? (exit, name, abort) => exit.resolveForCheck(name, abort)
    : (exit, name, abort) => exit.resolve(name, abort);
  const addressesFor = (exit: Exit, { host, port }: Target, abort: DialAbort): Resolved => {
    if (host.kind === 'name' && refused.refusesName(host.name)) throw new TunnelFailure('destination-refused');
    const resolved = host.kind === 'address' ? [host.bytes] : resolve(resolveName, exit, host.name, abort);
    const check = (addresses: Uint8Array[]) => checked(exit, addresses, port);
    return resolved instanceof Promise ? resolved.then(check) : check(resolved);
  };
  const checked = (exit: Exit, resolved: Uint8Array[], port: number) => {
    const dialable = resolved.map(unmapped).filter((address) => isAllowed(address, port));
    if (dialable.length === 0) throw new TunnelFailure('destination-prohibited');
    const allowed = dialable.filter((address) => !refused.refusesAddress(address));
    if (allowed.length === 0) throw new TunnelFailure('destination-refused');
    const reachable = allowed.filter((address) => exit.reaches(address));
    if (reachable.length === 0) throw new TunnelFailure('network-unreachable');
    return reachable;
  };
  return {
    isAllowed,
    isRefused: (destination) => refused.refuses(destination),
    addressesFor,
    get revision() {
      return revision() + refused.generation;
    },
  };
}

/** `localhost` has the loopback addresses (RFC 6761, section 6.3); other special names do not exist. */
function resolve(resolveName: Resolve, exit: Exit, name: string, abort: DialAbort): Resolved {
  if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
  if (isSpecialName(name)) throw new TunnelFailure('name-not-found');
  return resolveName(exit, name, abort);
}
