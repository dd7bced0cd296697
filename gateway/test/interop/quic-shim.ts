import { createSocket, type Socket } from 'node:dgram';
import type { Gateway } from '../../src/gateway.ts';
import type { FakeConnection } from '../control-plane.ts';
import { associate, openUdp, socks5Datagram } from '../udp.ts';

/**
 * Lets a QUIC client without support for proxies use an association: a local port stands for the target. Each port of the
 * client gets a separate port towards the gateway, so that the gateway sees when the client changes its port.
 */
export async function startShim(gateway: Pick<Gateway, 'port'>, connection: FakeConnection, targetPort: number) {
  const association = await associate(gateway, connection);
  if (association.reply !== 0) throw new Error(`UDP ASSOCIATE was refused with reply ${association.reply}`);
  const header = socks5Datagram('127.0.0.1', targetPort, '');
  const local = await openUdp();
  const upstream = new Map<number, Socket>();
  const bytes = { sent: 0, received: 0 };
  local.socket.on('message', (payload, { port }) => {
    local.waiting.length = 0;
    bytes.sent += payload.length;
    socketFor(port).send([header, payload], association.bound.port, association.bound.address);
  });

  function socketFor(clientPort: number): Socket {
    const known = upstream.get(clientPort);
    if (known) return known;
    const socket = createSocket('udp4', (datagram) => {
      bytes.received += datagram.length - header.length;
      local.socket.send(datagram.subarray(header.length), clientPort, '127.0.0.1');
    });
    upstream.set(clientPort, socket);
    return socket;
  }

  return {
    port: local.port,
    bytes,
    /** The number of ports that the client has used. */
    clientPorts: () => upstream.size,
    stop: () => {
      for (const socket of [local.socket, ...upstream.values()]) socket.close();
      association.close();
    },
  };
}
