/** A modem of the demo's farm: an HTTP proxy on loopback that leaves from another address of 127/8 after each call of its link. */
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Log } from '../process/log.ts';

const ADDRESSES = 250;
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:]+)):(\d{1,5})$/;

export interface Modem {
  port: number;
  stop(): Promise<void>;
}

/** @param number from 1 to 254 */
export async function startModem(number: number, log: Log): Promise<Modem> {
  const sockets = new Set<Socket>();
  let changes = 0;
  const server = createServer((_, response) => {
    changes += 1;
    response.end('The modem gets another address.\n');
  });
  server.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
    const [, ipv6, ipv4 = '', port] = AUTHORITY.exec(url) ?? [];
    // From an address of 127/8, other networks are not reached.
    const localAddress = ipv4.startsWith('127.') ? `127.1.${number}.${(changes % ADDRESSES) + 1}` : undefined;
    const upstream = connect({ host: ipv6 ?? ipv4, port: Number(port), ...(localAddress && { localAddress }) });
    const end = () => [client, upstream].forEach((socket) => socket.destroy());
    for (const socket of [client, upstream]) sockets.add(socket.on('error', end).once('close', end));
    client.once('close', () => [client, upstream].forEach((socket) => sockets.delete(socket)));
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.on('error', (error) => log.warn({ err: error }, 'modem of the demo'));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}
