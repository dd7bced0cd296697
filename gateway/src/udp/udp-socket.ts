import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Limits } from '../limits.ts';
import {
  directSend,
  findSendRequest,
  ordinarySend,
  type Parts,
  type SendEvents,
  type SendRequestType,
} from './direct-send.ts';

/** The sender of a datagram, as the system reports it. */
export type Sender = Pick<RemoteInfo, 'address' | 'port'>;

export interface DatagramEvents {
  received(payload: Buffer, from: Sender): void;
  /** A datagram could not be sent, or the socket reported an error. It remains usable. */
  failed(error: Error): void;
}

/** A bound UDP socket. */
export interface DatagramPort {
  /** The send queue is so long that further datagrams should be dropped: UDP has no backpressure. */
  readonly isCongested: boolean;
  /** Starts to report events. Datagrams that arrived before are discarded. */
  open(events: DatagramEvents): void;
  /**
   * Sends one datagram.
   * @param parts are sent one after the other
   * @param address a literal of the port's family
   */
  send(parts: Parts, port: number, address: string): void;
  close(): void;
}

/** The addresses of both families that bind to all addresses of this host. */
export const UNSPECIFIED = { 4: '0.0.0.0', 6: '::' } as const;

interface UdpSocketSettings {
  /** An address of this host, or the unspecified address of a family. */
  readonly address: string;
  /** 0: chosen by the system. */
  readonly port: number;
  /** The unspecified address of IPv6 also receives from IPv4 clients, as a TCP listener does. */
  readonly isDualStack?: boolean;
  readonly limits: Pick<Limits, 'udpBufferBytes' | 'udpQueueBytes'>;
}

/**
 * A socket of the family of an address, only for literal addresses: by default, Node calls `getaddrinfo` for each datagram, even for
 * literals.
 */
export function createUdpSocket(address: string, { isDualStack = false } = {}): Socket {
  const isIpv6 = address.includes(':');
  return createSocket({
    type: isIpv6 ? 'udp6' : 'udp4',
    ipv6Only: isIpv6 && !isDualStack,
    lookup: (literal, _options, done) => done(null, literal, isIpv6 ? 6 : 4),
  });
}

/** Opens and binds a UDP socket. @throws the system error, with its code */
export async function openUdpSocket({ address, port, isDualStack, limits }: UdpSocketSettings): Promise<DatagramPort> {
  const SendRequest = await findSendRequest();
  const socket = createUdpSocket(address, { isDualStack });
  await new Promise<void>((fulfil, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ address, port, exclusive: true }, fulfil);
  });
  socket.removeAllListeners('error');
  enlargeBuffers(socket, limits);
  return toPort(socket, limits, SendRequest);
}

/** A burst of QUIC packets fills the default buffers within milliseconds. */
function enlargeBuffers(socket: Socket, { udpBufferBytes }: UdpSocketSettings['limits']): void {
  try {
    socket.setRecvBufferSize(udpBufferBytes);
    socket.setSendBufferSize(udpBufferBytes);
  } catch {
    // Linux reduces them to its maximum; other systems refuse, and the default remains.
  }
}

function toPort(
  socket: Socket,
  { udpQueueBytes }: UdpSocketSettings['limits'],
  SendRequest: SendRequestType | undefined,
): DatagramPort {
  let onError = ignore;
  /** Usually the system accepts a datagram at once; then the queue is empty and Node need not be asked for its length. */
  let queued = 0;
  const sending: SendEvents = {
    queued: () => (queued += 1),
    sent: () => (queued -= 1),
    failed: (error) => onError(error),
  };
  socket.on('error', (error) => onError(error));
  return {
    get isCongested() {
      return queued > 0 && socket.getSendQueueSize() > udpQueueBytes;
    },
    open: (events) => {
      onError = (error) => events.failed(error);
      socket.on('message', (payload, from) => events.received(payload, from));
    },
    send: SendRequest ? directSend(socket, SendRequest, sending) : ordinarySend(socket, sending),
    close: () => {
      queued = 0;
      onError = ignore;
      socket.removeAllListeners('message').close();
    },
  };
}

const ignore: (error: Error) => void = () => {};
