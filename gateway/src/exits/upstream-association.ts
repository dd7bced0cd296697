import { canonicalAddress } from '@cellhop/contract/network';
import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';
import { addressText, parseHost, type Target } from '../protocol/host.ts';
import { readUdpTarget, udpHeaderLength } from '../protocol/socks5.ts';
import { toDialFailure, TunnelFailure } from '../statuses.ts';
import { type DatagramPort, openUdpSocket, type Sender, UNSPECIFIED } from '../udp/udp-socket.ts';
import type { DatagramTarget, ExitPort, ExitPortEvents } from './exit.ts';

/** TCP keep-alive after this silence. */
const KEEP_ALIVE_MS = 60_000;

interface UpstreamAssociationSettings {
  /** The connection to the upstream after its handshake. The association lives as long as it does. */
  readonly control: Socket;
  /** The address of the relay, from the upstream's reply. */
  readonly bound: Target | undefined;
  /** Whether datagrams may be sent to a relay at this address. */
  readonly isRelayAllowed: (address: Uint8Array, port: number) => boolean;
  readonly limits: Limits;
}

/**
 * Opens the socket of an association with an upstream.
 * @throws TunnelFailure; the control connection is closed then
 */
export async function openUpstreamAssociation(settings: UpstreamAssociationSettings): Promise<ExitPort> {
  const { control, limits } = settings;
  try {
    const relay = findRelay(settings);
    const localAddress = canonicalAddress(control.localAddress ?? '');
    const isIpv6 = relay.address.includes(':');
    // The upstream accepts datagrams only from the address of the control connection.
    const isSameFamily = localAddress?.includes(':') === isIpv6;
    const address = isSameFamily && localAddress !== undefined ? localAddress : UNSPECIFIED[isIpv6 ? 6 : 4];
    const socket = await openUdpSocket({ address, port: 0, limits });
    return new UpstreamAssociation(control, socket, relay);
  } catch (error) {
    control.destroy();
    throw toDialFailure(error);
  }
}

/**
 * Where the upstream receives datagrams. An unspecified address means that of the upstream (RFC 1928 does not say so, but servers
 * do it), and so does a private one, which an upstream behind a NAT sends: it could otherwise point into this node's network.
 */
function findRelay({ control, bound, isRelayAllowed }: UpstreamAssociationSettings): Sender {
  if (!bound || bound.port === 0) throw new TunnelFailure('upstream-malformed');
  const { host, port } = bound;
  // A name is not resolved: the relay usually has the upstream's own address.
  if (host.kind === 'address' && isRelayAllowed(host.bytes, port)) return { address: canonicalText(host.bytes), port };
  const upstream = parseHost(control.remoteAddress ?? '');
  // A closed socket has no address.
  if (upstream?.kind !== 'address') throw new TunnelFailure('upstream-closed');
  return { address: canonicalText(upstream.bytes), port };
}

function canonicalText(bytes: Uint8Array): string {
  const text = addressText(bytes);
  return canonicalAddress(text) ?? text;
}

/** An association with a SOCKS5 upstream (RFC 1928, section 7), as the port of one association of a customer. */
class UpstreamAssociation implements ExitPort {
  #isClosed = false;
  /** The sender of the last reply, cached because the next one is usually the same. */
  #latest: { readonly header: Buffer; readonly sender: Sender } | undefined;

  constructor(
    private readonly control: Socket,
    private readonly socket: DatagramPort,
    private readonly relay: Sender,
  ) {}

  get isCongested(): boolean {
    return this.socket.isCongested;
  }

  open(events: ExitPortEvents): void {
    const { control } = this;
    this.socket.open({
      received: (datagram, from) => this.#received(datagram, from, events),
      failed: (error) => events.failed(error),
    });
    const ended = () => {
      if (!this.#isClosed) events.ended();
    };
    control.once('end', ended).once('close', ended).setKeepAlive(true, KEEP_ALIVE_MS);
    control.on('data', () => {}).resume(); // Data has no meaning here.
    // It may have ended while the socket was opened.
    if (control.destroyed || control.readableEnded) queueMicrotask(ended);
  }

  send(payload: Uint8Array, { header }: DatagramTarget): void {
    this.socket.send([header, payload], this.relay.port, this.relay.address);
  }

  close(): void {
    this.#isClosed = true;
    this.socket.close();
    this.control.destroy();
  }

  #received(datagram: Buffer, from: Sender, events: ExitPortEvents): void {
    const { address, port } = this.relay;
    if (from.port !== port || from.address !== address) return events.dropped('unknown-sender');
    const headerLength = udpHeaderLength(datagram);
    if (typeof headerLength === 'string') return events.dropped(headerLength);
    const sender = this.#toSender(datagram.subarray(0, headerLength));
    if (!sender) return events.dropped('malformed');
    events.received(datagram.subarray(headerLength), sender);
  }

  /** @returns undefined for a name: replies come from addresses */
  #toSender(header: Buffer): Sender | undefined {
    if (this.#latest?.header.equals(header)) return this.#latest.sender;
    const target = readUdpTarget(header);
    if (target?.host.kind !== 'address') return undefined;
    const sender = { address: canonicalText(target.host.bytes), port: target.port };
    this.#latest = { header: Buffer.from(header), sender };
    return sender;
  }
}
