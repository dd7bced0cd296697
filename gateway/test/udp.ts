/** UDP sockets for tests: destinations, and clients of associations with their own encoder. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Gateway } from '../src/gateway.ts';
import { type Credentials, openClient, socks5Greeting, socks5Login, socks5Request } from './gateway-harness.ts';
import { type Reader } from './sockets.ts';

export interface UdpPeer {
  readonly socket: Socket;
  readonly port: number;
  /** Waits for the next datagram. */
  next(): Promise<Buffer>;
  /** Datagrams that arrived and were not taken by `next`. */
  readonly waiting: Buffer[];
  /** How many datagrams arrived. */
  received: number;
}

/** Binds a UDP socket to a free port. */
export async function openUdp(address = '127.0.0.1', port = 0): Promise<UdpPeer> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  const waiting: Buffer[] = [];
  let arrived: (() => void) | undefined;
  const peer: UdpPeer = {
    socket,
    port: socket.address().port,
    waiting,
    received: 0,
    next: async () => {
      while (waiting.length === 0)
        await new Promise<void>((fulfil) => {
          arrived = fulfil;
        });
      return waiting.shift()!;
    },
  };
  socket.on('message', (message) => {
    peer.received += 1;
    waiting.push(message);
    arrived?.();
  });
  return peer;
}

/** A destination that returns each datagram to its sender. */
export async function openEcho(address = '127.0.0.1'): Promise<UdpPeer> {
  const echo = await openUdp(address);
  echo.socket.on('message', (message, { port, address: to }) => {
    echo.waiting.length = 0;
    echo.socket.send(message, port, to);
  });
  return echo;
}

export interface TestAssociation {
  readonly control: Reader;
  /** The second byte of the reply. */
  readonly reply: number;
  /** BND.ADDR and BND.PORT. */
  readonly bound: { readonly address: string; readonly port: number };
  readonly udp: UdpPeer;
  /** Sends bytes, as they are, to the association. */
  sendRaw(datagram: Uint8Array, from?: UdpPeer): void;
  /** Sends a payload to a destination through the association. */
  send(host: string, port: number, payload: Uint8Array | string, from?: UdpPeer): void;
  close(): void;
}

/** Requests UDP ASSOCIATE. `host` and `port`: DST.ADDR and DST.PORT of the request, from where the client may intend to send. */
export async function associate(
  gateway: Pick<Gateway, 'port'>,
  connection: Credentials,
  { host = '0.0.0.0', port = 0, localAddress = '127.0.0.1' } = {},
): Promise<TestAssociation> {
  const udp = await openUdp(localAddress);
  const control = await openClient(gateway.port, localAddress);
  const request = socks5Request(host, port, 3);
  control.socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), request]));
  await control.take(4);
  const reply = await control.take(10);
  const bound = { address: [...reply.subarray(4, 8)].join('.'), port: reply.readUInt16BE(8) };
  const sendRaw = (datagram: Uint8Array, from = udp) => from.socket.send(datagram, bound.port, bound.address);
  return {
    control,
    reply: reply[1]!,
    bound,
    udp,
    sendRaw,
    send: (host, toPort, payload, from) => sendRaw(socks5Datagram(host, toPort, payload), from),
    close: () => {
      control.socket.destroy();
      udp.socket.close();
    },
  };
}

/** RSV, FRAG, then address and port in the form of a request. */
export const socks5Datagram = (host: string, port: number, payload: Uint8Array | string) =>
  Buffer.concat([Buffer.from([0, 0, 0]), socks5Request(host, port).subarray(3), Buffer.from(payload)]);
