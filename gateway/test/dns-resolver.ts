import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { framed, nameOf } from './dns-messages.ts';

export interface Asked {
  readonly message: Buffer;
  readonly name: string;
  readonly transport: 'udp' | 'tcp';
  readonly from: string;
  readonly fromPort: number;
  /** Sends a message to the asker. */
  readonly respond: (message: Buffer) => void;
  /** Undefined over UDP. */
  readonly socket: Socket | undefined;
}

export interface TestResolver {
  /** For `nameServers`. */
  readonly address: string;
  readonly asked: Asked[];
  stop(): void;
}

/** A name server over UDP and TCP, on the same port, that answers as the test says. */
export async function startResolver(
  onQuestion: (asked: Asked) => void,
  { host = '127.0.0.1' }: { host?: string } = {},
): Promise<TestResolver> {
  const asked: Asked[] = [];
  const received = (question: Omit<Asked, 'name'>) => {
    const full = { ...question, name: nameOf(question.message).toLowerCase() };
    // The node itself looks up the public URL of its control plane.
    if (full.name === 'localhost') return;
    asked.push(full);
    onQuestion(full);
  };
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        const end = 2 + bytes.readUInt16BE(0);
        const { remoteAddress = '', remotePort = 0 } = socket;
        const respond = (message: Buffer) => void socket.write(framed(message));
        received({
          message: bytes.subarray(2, end),
          transport: 'tcp',
          from: remoteAddress,
          fromPort: remotePort,
          respond,
          socket,
        });
        bytes = bytes.subarray(end);
      }
    });
  });
  tcp.listen(0, host);
  await once(tcp, 'listening');
  const bound = tcp.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const udp = createSocket('udp4', (message, { address, port: fromPort }) => {
    const respond = (answer: Buffer) => udp.send(answer, fromPort, address);
    received({ message, transport: 'udp', from: address, fromPort, respond, socket: undefined });
  });
  udp.bind(port, host);
  await once(udp, 'listening');
  return {
    address: `${host}:${port}`,
    asked,
    stop: () => {
      udp.close();
      tcp.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
