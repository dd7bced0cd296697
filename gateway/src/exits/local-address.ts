import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type DestinationPolicy, isDestinationAllowed, unmapped } from '../destination-policy.ts';
import type { Limits } from '../limits.ts';
import { addressText, type Target } from '../protocol/host.ts';
import { failureOfDial, TunnelFailure } from '../statuses.ts';
import type { DialAbort } from './dial-abort.ts';
import { isBindable } from './exit-watch.ts';
import type { ExitRoute } from './exit.ts';
import { createResolver } from './resolver.ts';
import type { SourcePorts } from './source-ports.ts';

export interface LocalExitSettings {
  /** Null: the host's own route. */
  readonly address: string | null;
  readonly policy: DestinationPolicy;
  readonly limits: Limits;
  readonly nameServers: readonly string[] | undefined;
  readonly sourcePorts: Pick<SourcePorts, 'next'>;
}

/** Leaves from an address of this host. Routing by source address is the operator's part. */
export function createLocalAddressExit(settings: LocalExitSettings): ExitRoute {
  const { address, policy, limits, sourcePorts } = settings;
  const resolve = createResolver(settings);
  const family = address === null ? undefined : familyOf(address);

  return {
    kind: 'local-address',
    address,
    dial: async (target, abort) => {
      const { host } = target;
      const found = host.kind === 'address' ? [host.bytes] : await resolveBy(host.name, abort);
      // Judged are the very bytes that are dialled below; no name reaches `connect`, so nothing can be rebound.
      const allowed = found.map(unmapped).filter((bytes) => isDestinationAllowed(policy, bytes, target.port));
      if (allowed.length === 0) throw new TunnelFailure('destination-refused');
      const reachable = allowed.filter((bytes) => family === undefined || bytes.length === family);
      if (reachable.length === 0) throw new TunnelFailure('network-unreachable');
      return dialFirst(reachable.slice(0, limits.addressesTried), target, abort);
    },
  };

  /** Without the exit's address no question leaves, which looks like a name that nobody knows. */
  async function resolveBy(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    try {
      return await resolve(name, abort);
    } catch (error) {
      if (address !== null && !(await isBindable(address))) throw new TunnelFailure('exit-unavailable');
      throw error;
    }
  }

  async function dialFirst(addresses: Uint8Array[], { port }: Target, abort: DialAbort): Promise<Socket> {
    let failure: TunnelFailure | undefined;
    for (const [index, bytes] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      // The last address may use all the time that is left; the others must leave some.
      const timeoutMs = isLast ? limits.dialMs : limits.dialAttemptMs;
      const destination = { host: addressText(bytes), port };
      try {
        if (address === null) return await dialAddress(destination, timeoutMs, abort);
        return await dialFrom(address, destination, timeoutMs, abort);
      } catch (error) {
        failure = failureOfDial(error);
        if (abort.isAborted) break;
      }
    }
    throw failure ?? new TunnelFailure('exit-unavailable');
  }

  /** A port that somebody else holds, or that the destination still knows, fails at once: then the next is tried. */
  async function dialFrom(localAddress: string, destination: Destination, timeoutMs: number, abort: DialAbort) {
    for (let triesLeft = limits.sourcePortTries - 1; ; triesLeft -= 1) {
      const options = { ...destination, localAddress, localPort: sourcePorts.next(localAddress) };
      try {
        return await dialAddress(options, timeoutMs, abort);
      } catch (error) {
        if (triesLeft <= 0 || !isPortTaken(error)) throw error;
      }
    }
  }
}

interface Destination {
  readonly host: string;
  readonly port: number;
}

/** EADDRNOTAVAIL: the same two ends have a connection, or had one a moment ago; or the address has gone. */
const isPortTaken = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EADDRNOTAVAIL');

const familyOf = (address: string) => (address.includes(':') ? 16 : 4);

function dialAddress(options: TcpNetConnectOpts, timeoutMs: number, abort: DialAbort): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const socket = connect({ ...options, allowHalfOpen: true, noDelay: true });
    socket.pause(); // Reading starts with the relay, which wants the bytes in its own buffers.
    let forgetAbort: (() => void) | undefined;
    const settle = () => {
      clearTimeout(timer);
      forgetAbort?.();
      socket.removeAllListeners('connect');
    };
    const giveUp = () => {
      settle();
      socket.destroy();
      reject(new TunnelFailure('dial-timeout'));
    };
    const timer = setTimeout(giveUp, timeoutMs);
    forgetAbort = abort.whenAborted(giveUp);
    // Stays for good: a reset before the next owner listens must not be fatal.
    socket.on('error', (error) => {
      settle();
      reject(error);
    });
    socket.once('connect', () => {
      settle();
      fulfil(socket);
    });
  });
}
