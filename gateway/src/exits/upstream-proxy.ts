import type { UpstreamExit } from '@cellhop/contract/exits';
import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import type { LookupOutcome } from '../metrics.ts';
import { TcpSide } from '../pipe/tcp-side.ts';
import type { Query } from '../protocol/dns.ts';
import type { Answer } from '../protocol/dns-records.ts';
import { addressText, parseHost, type Target } from '../protocol/host.ts';
import * as http from '../protocol/http-upstream.ts';
import { METHOD_NONE, METHOD_USER_PASSWORD, SUCCEEDED } from '../protocol/socks5.ts';
import * as socks5 from '../protocol/socks5-upstream.ts';
import { toDialFailure, TunnelFailure } from '../statuses.ts';
import { DialAbort, type Endpoint, type Exit, type ExitPort, type ExitStream, type Resolved } from './exit.ts';
import { DnsUpstream } from './dns-upstream.ts';
import { dialAddress } from './local-address.ts';
import { NameResolver } from './name-resolver.ts';
import type { UpstreamBudget } from './query-connections.ts';
import type { NameServer } from './query-socket.ts';
import { openUpstreamAssociation } from './upstream-association.ts';
import { UpstreamHandshake } from './upstream-handshake.ts';

export interface UpstreamSettings {
  readonly upstream: UpstreamExit;
  readonly limits: Limits;
  readonly nameServers: readonly string[] | undefined;
  /** Resolves names by the host's default route. */
  readonly names: Pick<NameResolver, 'resolve' | 'find'>;
  readonly upstreamBudget: UpstreamBudget;
  /** Of names that are resolved through the upstream. */
  readonly onLookup: (outcome: LookupOutcome) => void;
  /** Whether the upstream itself may have this address. */
  readonly isProxyAllowed: (address: Uint8Array, port: number) => boolean;
  /** Whether it is in a network about which the reasons of failed checks may tell everything. */
  readonly isOpenNetwork: (address: Uint8Array) => boolean;
  /** Whether datagrams may be sent to an address of a relay that the upstream names. */
  readonly isRelayAllowed: (address: Uint8Array, port: number) => boolean;
}

/** Exchanges the messages before a tunnel or an association. */
type Handshake<Result> = (handshake: UpstreamHandshake) => Promise<Result>;

interface OpenUpstream<Result> {
  /** Paused. */
  readonly socket: Socket;
  readonly result: Result;
}

/**
 * Dials through another proxy, SOCKS5 or HTTP CONNECT. Names are resolved here, and the upstream gets only checked addresses: it could resolve a
 * name to what the guard refuses. Questions to name servers travel through the upstream, over TCP; for destinations of exits with
 * `resolvesNames` false, by the host's default route. After its handshake the socket is an ordinary one; the bytes of the handshake are not counted.
 */
export class UpstreamProxyExit implements Exit {
  readonly kind: UpstreamExit['kind'];
  readonly udp: Exit['udp'];
  readonly attemptDelayMs: number;
  readonly #dns: DnsUpstream;
  readonly #names: NameResolver;
  /** By checks alone: customers choose destinations, so their failures do not count. */
  #isLost = false;
  isRotating = false;
  resolvesNames: boolean;
  #isPrivate = false;
  #known: { readonly addresses: Uint8Array[]; readonly until: number } | undefined;

  constructor(private readonly settings: UpstreamSettings) {
    const { upstream, limits } = settings;
    this.kind = upstream.kind;
    this.attemptDelayMs = limits.upstreamAttemptDelayMs;
    this.resolvesNames = upstream.names === 'exit';
    this.udp = upstream.kind === 'socks5' ? 'one-port' : 'none';
    this.#dns = new DnsUpstream({
      ...settings,
      address: null,
      budget: settings.upstreamBudget,
      isTcpOnly: true,
      dial: (server, timeoutMs) => this.#dialNameServer(server, timeoutMs),
    });
    this.#names = new NameResolver(this.#dns, null, limits, settings.onLookup);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get isPrivate(): boolean {
    return this.#isPrivate;
  }

  setLost(isLost: boolean): void {
    this.#isLost = isLost;
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.#dns.close();
  }

  /** Always true: the upstream decides for each destination. */
  reaches(): boolean {
    return true;
  }

  resolve(name: string, abort: DialAbort): Resolved {
    return this.resolvesNames ? this.#names.find(name, abort) : this.resolveForCheck(name, abort);
  }

  resolveForCheck(name: string, abort: DialAbort): Resolved {
    return this.settings.names.find(name, abort);
  }

  async openUdp(_family: 4 | 6, abort: DialAbort): Promise<ExitPort> {
    if (this.udp === 'none') throw new TunnelFailure('udp-unsupported');
    const { limits, isRelayAllowed } = this.settings;
    const opened = await this.#open(limits.dialMs, abort, (handshake) => this.#associate(handshake));
    const association = { control: opened.socket, bound: opened.result, isRelayAllowed, limits };
    return openUpstreamAssociation(association);
  }

  ask(query: Query, options: { readonly needsWhole: boolean }): Promise<Answer> {
    return this.#dns.ask(query, options);
  }

  async connect(destination: Endpoint, timeoutMs: number, abort: DialAbort): Promise<ExitStream> {
    const { socket } = await this.#open(timeoutMs, abort, (handshake) => this.#request(handshake, destination));
    const side = new TcpSide(socket, this.settings.limits, undefined, () => this.isRotating);
    return { side, stream: socket, local: () => undefined };
  }

  /** Through the upstream: otherwise the name server would see the address of this node. */
  async #dialNameServer({ host, port }: NameServer, timeoutMs: number): Promise<Socket> {
    const parsed = parseHost(host);
    if (parsed?.kind !== 'address') throw new TunnelFailure('exit-unavailable');
    const nameServer = { address: parsed.bytes, port };
    return (await this.#open(timeoutMs, new DialAbort(), (handshake) => this.#request(handshake, nameServer))).socket;
  }

  /** @throws TunnelFailure; the socket is closed then */
  async #open<Result>(
    timeoutMs: number,
    abort: DialAbort,
    performHandshake: Handshake<Result>,
  ): Promise<OpenUpstream<Result>> {
    const deadline = performance.now() + timeoutMs;
    const socket = await this.#dial(deadline, abort);
    const handshake = new UpstreamHandshake(socket);
    const stop = () => handshake.timeOut();
    const timer = setTimeout(stop, deadline - performance.now());
    const unsubscribe = abort.whenAborted(stop);
    try {
      const result = await performHandshake(handshake);
      handshake.release();
      return { socket, result };
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      unsubscribe();
    }
  }

  /** Tries the addresses of the upstream in turn; all but the last have half of the remaining time. */
  async #dial(deadline: number, abort: DialAbort): Promise<Socket> {
    const { port } = this.settings.upstream;
    const known = await this.#addresses(abort);
    const addresses = known.filter((address) => this.settings.isProxyAllowed(address, port));
    this.#isPrivate = !addresses.every(this.settings.isOpenNetwork);
    let failure = new TunnelFailure('upstream-unreachable');
    for (const [index, address] of addresses.entries()) {
      const leftMs = Math.max(1, deadline - performance.now());
      const timeoutMs = index === addresses.length - 1 ? leftMs : leftMs / 2;
      try {
        return await dialAddress({ host: addressText(address), port }, timeoutMs, abort);
      } catch (error) {
        failure = toUpstreamFailure(error);
        if (abort.isAborted) break;
      }
    }
    throw failure;
  }

  async #addresses(abort: DialAbort): Promise<Uint8Array[]> {
    const { upstream, limits } = this.settings;
    if (this.#known && this.#known.until > performance.now()) return this.#known.addresses;
    const host = parseHost(upstream.host);
    if (!host) throw new TunnelFailure('upstream-unreachable');
    if (host.kind === 'address') return [host.bytes];
    const resolved = await this.settings.names.resolve(host.name, abort).catch(() => {
      throw new TunnelFailure('upstream-unreachable');
    });
    const addresses = resolved.slice(0, limits.addressAttempts);
    this.#known = { addresses, until: performance.now() + limits.upstreamAddressMs };
    return addresses;
  }

  async #request(handshake: UpstreamHandshake, { address, port }: Endpoint): Promise<void> {
    if (this.kind === 'http') return this.#requestByHttp(handshake, { address, port });
    await this.#login(handshake);
    const reply = await handshake.request(socks5.encodeConnect(address, port), socks5.parseReply);
    if (reply.code !== SUCCEEDED) throw new TunnelFailure(socks5.replyCause(reply.code), reply.code);
  }

  /** @returns where the upstream receives datagrams */
  async #associate(handshake: UpstreamHandshake): Promise<Target | undefined> {
    await this.#login(handshake);
    const { code, bound } = await handshake.exchange(socks5.encodeUdpAssociate(), socks5.parseReply);
    if (code !== SUCCEEDED) throw new TunnelFailure(socks5.associateReplyCause(code));
    return bound;
  }

  async #login(handshake: UpstreamHandshake): Promise<void> {
    const { credentials } = this.settings.upstream;
    const wanted = credentials ? METHOD_USER_PASSWORD : METHOD_NONE;
    const method = await handshake.exchange(socks5.encodeGreeting(credentials !== undefined), socks5.parseMethod);
    if (method !== wanted) throw new TunnelFailure('upstream-auth-failed');
    if (!credentials) return;
    const status = await handshake.exchange(socks5.encodeLogin(credentials), socks5.parseLoginStatus);
    if (status !== 0) throw new TunnelFailure('upstream-auth-failed');
  }

  async #requestByHttp(handshake: UpstreamHandshake, { address, port }: Endpoint): Promise<void> {
    const { upstream, limits } = this.settings;
    const status = await handshake.request(http.encodeConnect(address, port, upstream.credentials), (bytes) =>
      http.parseResponse(bytes, limits.headBytes),
    );
    const cause = http.statusCause(status);
    if (cause !== undefined) throw new TunnelFailure(cause, status);
  }
}

/** Converts a failure to reach the upstream, so that it does not count as a failure of the destination. */
function toUpstreamFailure(error: unknown): TunnelFailure {
  const { failure } = toDialFailure(error);
  if (failure === 'descriptors-exhausted') return new TunnelFailure(failure);
  return new TunnelFailure(failure === 'dial-timeout' ? 'upstream-timeout' : 'upstream-unreachable');
}
