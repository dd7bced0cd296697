import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Limits } from '../limits.ts';
import { TcpSide } from '../pipe/tcp-side.ts';
import { addressText, parseHost } from '../protocol/host.ts';
import { failureOfDial, TunnelFailure } from '../statuses.ts';
import { AddressWatch, isBindable } from './address-watch.ts';
import type { DialAbort } from './dial-abort.ts';
import type { Endpoint, Exit, ExitStream } from './exit.ts';
import { NameResolver } from './name-resolver.ts';
import type { SourcePorts } from './source-ports.ts';

export interface LocalExitSettings {
  /** Null: the host's own route. */
  readonly address: string | null;
  readonly limits: Limits;
  readonly nameServers: readonly string[] | undefined;
  readonly sourcePorts: Pick<SourcePorts, 'next'>;
  /** The addresses of this host's interfaces, in canonical text. */
  readonly hostAddresses: () => ReadonlySet<string>;
}

/** Leaves from an address of this host. Routing by source address is the operator's part. */
export class LocalAddressExit implements Exit {
  readonly kind = 'local-address';
  readonly #resolver: NameResolver;
  /** The host's own route is never lost. */
  readonly #watch: AddressWatch | undefined;

  constructor(private readonly settings: LocalExitSettings) {
    const { address, limits, hostAddresses } = settings;
    this.#resolver = new NameResolver(settings);
    if (address !== null) this.#watch = new AddressWatch(address, { lostAfterMs: limits.exitLostMs, hostAddresses });
  }

  get isLost(): boolean {
    return this.#watch?.isLost ?? false;
  }

  async check(): Promise<void> {
    await this.#watch?.check();
  }

  close(): void {
    this.#resolver.close();
  }

  reaches(destination: Uint8Array): boolean {
    const { address } = this.settings;
    return address === null || destination.length === familyOf(address);
  }

  /** Without the exit's address no question leaves, which looks like a name that nobody knows. */
  async resolve(name: string, abort: DialAbort): Promise<Uint8Array[]> {
    const { address } = this.settings;
    try {
      return await this.#resolver.resolve(name, abort);
    } catch (error) {
      if (address !== null && !(await isBindable(address))) throw new TunnelFailure('exit-unavailable');
      throw error;
    }
  }

  async connect({ address: to, port }: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream> {
    const { address, limits } = this.settings;
    const destination = { host: addressText(to), port };
    try {
      const socket = await (address === null
        ? dialAddress(destination, timeoutMs, abort)
        : this.#dialFrom(address, destination, timeoutMs, abort));
      return { side: new TcpSide(socket, limits), local: () => localEnd(socket) };
    } catch (error) {
      throw failureOfDial(error);
    }
  }

  /** A port that somebody else holds, or that the destination still knows, fails at once: then the next is tried. */
  async #dialFrom(localAddress: string, destination: Destination, timeoutMs: number, abort: DialAbort) {
    const { limits, sourcePorts } = this.settings;
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

function localEnd({ localAddress, localPort }: Socket): Endpoint | undefined {
  const host = parseHost(localAddress ?? '');
  return host?.kind === 'address' ? { address: host.bytes, port: localPort ?? 0 } : undefined;
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
