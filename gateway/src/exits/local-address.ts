import type { Socket, TcpNetConnectOpts } from 'node:net';
import type { Limits } from '../limits.ts';
import type { SideOwner } from '../pipe/pipe.ts';
import { DirectSocket } from '../pipe/direct-socket.ts';
import { RawSide } from '../pipe/raw-side.ts';
import { TcpSide } from '../pipe/tcp-side.ts';
import type { Query } from '../protocol/dns.ts';
import type { Answer } from '../protocol/dns-records.ts';
import { addressText, parseHost } from '../protocol/host.ts';
import { toDialFailure, TunnelFailure } from '../statuses.ts';
import { type DatagramPort, openUdpSocket, UNSPECIFIED } from '../udp/udp-socket.ts';
import { AddressWatch } from './address-watch.ts';
import {
  type DatagramTarget,
  DialAbort,
  type Endpoint,
  type Exit,
  type ExitPort,
  type ExitPortEvents,
  type ExitStream,
  type Resolved,
} from './exit.ts';
import type { RawSocket, RawSockets } from '../pipe/raw-sockets.ts';
import { DnsUpstream } from './dns-upstream.ts';
import { NameResolver } from './name-resolver.ts';
import type { UpstreamBudget } from './query-connections.ts';
import type { SourcePorts } from './source-ports.ts';

export interface LocalExitSettings {
  /** Null: the host's default route. */
  readonly address: string | null;
  readonly limits: Limits;
  readonly nameServers: readonly string[] | undefined;
  readonly sourcePorts: Pick<SourcePorts, 'next'>;
  /** Native code that dials the destinations of tunnels. */
  readonly sockets?: RawSockets | undefined;
  /** The addresses of this host's interfaces, in canonical text. */
  readonly hostAddresses: () => ReadonlySet<string>;
  readonly upstreamBudget: UpstreamBudget;
}

/** Dials from an address of this host. The operator configures routing by source address. */
export class LocalAddressExit implements Exit {
  readonly kind = 'local-address';
  readonly udp = 'each-family';
  readonly attemptDelayMs: number;
  readonly #resolver: NameResolver;
  readonly #upstream: DnsUpstream;
  /** Undefined for the host's default route, which has no address that could be missing. */
  readonly #watch: AddressWatch | undefined;
  #isLostByChecks = false;

  constructor(private readonly settings: LocalExitSettings) {
    const { address, limits, hostAddresses } = settings;
    this.attemptDelayMs = limits.connectionAttemptDelayMs;
    this.#owner = { limits, isCut: () => this.isRotating };
    this.#upstream = new DnsUpstream({
      ...settings,
      budget: settings.upstreamBudget,
      dial: (server, timeoutMs) => this.#dial(server, timeoutMs, new DialAbort()),
    });
    this.#resolver = new NameResolver(this.#upstream, address, limits);
    if (address !== null) this.#watch = new AddressWatch(address, { lostAfterMs: limits.exitLostMs, hostAddresses });
  }

  readonly isPrivate = false;
  isRotating = false;
  /** Of all tunnels: a function made in `connect` would keep what that function knows, such as the socket which a relay replaces. */
  readonly #owner: Required<Pick<SideOwner, 'limits' | 'isCut'>>;
  resolvesNames = true;

  get isLost(): boolean {
    return this.#isLostByChecks || (this.#watch?.isLost ?? false);
  }

  setLost(isLost: boolean): void {
    this.#isLostByChecks = isLost;
  }

  async check(): Promise<void> {
    await this.#watch?.check();
  }

  close(): void {
    this.#upstream.close();
  }

  reaches(destination: Uint8Array): boolean {
    const { address } = this.settings;
    return address === null || destination.length === addressBytes(address);
  }

  resolve(name: string, abort: DialAbort): Resolved {
    return this.#resolver.find(name, abort);
  }

  resolveForCheck(name: string, abort: DialAbort): Resolved {
    return this.resolve(name, abort);
  }

  async ask(query: Query, options: { readonly needsWhole: boolean }): Promise<Answer> {
    return this.#upstream.ask(query, options);
  }

  async connect(to: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream> {
    const { sockets } = this.settings;
    if (sockets) return this.#connectRaw(sockets, to, timeoutMs, abort);
    const socket = await this.#dial({ host: addressText(to.address), port: to.port }, timeoutMs, abort);
    return {
      side: new TcpSide(socket, this.settings.limits, undefined, this.#owner.isCut),
      stream: socket,
      local: () => localEnd(socket),
    };
  }

  async #connectRaw(sockets: RawSockets, to: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream> {
    try {
      const raw = await this.#eachPort((localAddress, localPort) =>
        dialRaw(sockets, { ...to, localAddress: localBytes(localAddress), localPort }, timeoutMs, abort),
      );
      return new RawStream(raw, new RawSide(raw, this.#owner));
    } catch (error) {
      throw toDialFailure(error);
    }
  }

  /** @throws TunnelFailure */
  async #dial(destination: Destination, timeoutMs: number, abort: DialAbort): Promise<Socket> {
    try {
      return await this.#eachPort((localAddress, localPort) =>
        dialAddress(
          localAddress === null ? destination : { ...destination, localAddress, localPort },
          timeoutMs,
          abort,
        ),
      );
    } catch (error) {
      throw toDialFailure(error);
    }
  }

  async openUdp(family: 4 | 6): Promise<ExitPort> {
    const { limits, address } = this.settings;
    try {
      return new LocalPort(await openUdpSocket({ address: address ?? UNSPECIFIED[family], port: 0, limits }));
    } catch (error) {
      throw toDialFailure(error);
    }
  }

  /**
   * A source port in use, or in TIME_WAIT at the destination, fails immediately; then the next is tried.
   * @param dialFrom gets null for the host's default route, which chooses the port as well
   */
  async #eachPort<Dialled>(
    dialFrom: (localAddress: string | null, localPort: number) => Promise<Dialled>,
  ): Promise<Dialled> {
    const { limits, sourcePorts, address } = this.settings;
    if (address === null) return dialFrom(null, 0);
    for (let attemptsLeft = limits.sourcePortAttempts - 1; ; attemptsLeft -= 1) {
      try {
        return await dialFrom(address, sourcePorts.next(address));
      } catch (error) {
        if (attemptsLeft <= 0 || !isPortInUse(error)) throw error;
      }
    }
  }
}

/** A socket that sends datagrams directly to their destinations. */
class LocalPort implements ExitPort {
  constructor(private readonly socket: DatagramPort) {}

  get isCongested(): boolean {
    return this.socket.isCongested;
  }

  open(events: ExitPortEvents): void {
    this.socket.open(events);
  }

  send(payload: Uint8Array, { port, text }: DatagramTarget): void {
    this.socket.send([payload], port, text);
  }

  close(): void {
    this.socket.close();
  }
}

/** A connection of native code to a destination. */
class RawStream implements ExitStream {
  constructor(
    private readonly raw: RawSocket,
    readonly side: RawSide,
  ) {}

  get stream(): Socket {
    return this.side.socket;
  }

  local(): Endpoint | undefined {
    return this.raw.local();
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

/** EADDRNOTAVAIL: a connection with the same endpoints exists or is in TIME_WAIT; or the address is missing. */
const isPortInUse = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EADDRNOTAVAIL');

const addressBytes = (address: string) => (address.includes(':') ? 16 : 4);

/** The host's own route needs none. */
function localBytes(address: string | null): Uint8Array {
  const host = address === null ? undefined : parseHost(address);
  return host?.kind === 'address' ? host.bytes : new Uint8Array(0);
}

/** Nothing is read or written before the next owner. */
const nothingYet = () => {};

type RawDestination = Parameters<RawSockets['connect']>[0];

function dialRaw(
  sockets: RawSockets,
  options: RawDestination,
  timeoutMs: number,
  abort: DialAbort,
): Promise<RawSocket> {
  return new Promise((fulfil, reject) => {
    const socket = sockets.connect(options);
    let unsubscribe: (() => void) | undefined;
    const settle = () => {
      clearTimeout(timer);
      unsubscribe?.();
    };
    const cancel = () => {
      settle();
      socket.close();
      reject(new TunnelFailure('dial-timeout'));
    };
    const timer = setTimeout(cancel, timeoutMs);
    unsubscribe = abort.whenAborted(cancel);
    socket.listener = {
      data: nothingYet,
      ended: nothingYet,
      unwritten: nothingYet,
      connected: () => {
        settle();
        fulfil(socket);
      },
      failed: (error) => {
        settle();
        reject(error);
      },
    };
  });
}

/** @returns a paused socket */
export function dialAddress(options: TcpNetConnectOpts, timeoutMs: number, abort: DialAbort): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const socket = new DirectSocket({ noDelay: true }).connect(options);
    socket.pause(); // The relay starts reading, into its own buffers.
    let unsubscribe: (() => void) | undefined;
    const settle = () => {
      clearTimeout(timer);
      unsubscribe?.();
      socket.removeAllListeners('connect');
    };
    const cancel = () => {
      settle();
      socket.destroy();
      reject(new TunnelFailure('dial-timeout'));
    };
    const timer = setTimeout(cancel, timeoutMs);
    unsubscribe = abort.whenAborted(cancel);
    const failed = (error: Error) => {
      settle();
      reject(error);
    };
    socket.on('error', failed);
    socket.once('connect', () => {
      settle();
      // A reset before the next owner adds its listener must not be fatal. A tunnel may last for days, and keeps nothing of its dial.
      socket.on('error', nothingYet).off('error', failed);
      fulfil(socket);
    });
  });
}
