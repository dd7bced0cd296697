import { createSocket } from 'node:dgram';
import type { Gateway } from '../../src/gateway.ts';
import type { FakeConnection } from '../control-plane.ts';
import { associate, openUdp, socks5Datagram } from '../udp.ts';

/** Lets a QUIC client without support for proxies use an association: a local port stands for the target. */
export async function startShim(gateway: Pick<Gateway, 'port'>, connection: FakeConnection, targetPort: number) {
  const association = await associate(gateway, connection);
  if (association.reply !== 0) throw new Error(`UDP ASSOCIATE was refused with reply ${association.reply}`);
  const header = socks5Datagram('127.0.0.1', targetPort, '');
  const local = await openUdp();
  const bytes = { sent: 0, received: 0 };
  let clientPort = 0;
  const upstream = createSocket('udp4', (datagram) => {
    bytes.received += datagram.length - header.length;
    local.socket.send(datagram.subarray(header.length), clientPort, '127.0.0.1');
  });
  local.socket.on('message', (payload, { port }) => {
    local.waiting.length = 0;
    clientPort = port;
    bytes.sent += payload.length;
    upstream.send([header, payload], association.bound.port, association.bound.address);
  });

  return {
    port: local.port,
    bytes,
    stop: () => {
      for (const socket of [local.socket, upstream]) socket.close();
      association.close();
    },
  };
}
