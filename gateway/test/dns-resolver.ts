import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { answerTo, framed, readName } from './dns-messages.ts';

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

/** A name server over UDP and TCP, on the same port, with answers that the test defines. */
export async function startResolver(
  onQuestion: (asked: Asked) => void,
  { host = '127.0.0.1' }: { host?: string } = {},
): Promise<TestResolver> {
  const asked: Asked[] = [];
  const received = (question: Omit<Asked, 'name'>) => {
    const full = { ...question, name: readName(question.message).toLowerCase() };
    // The node itself looks up the public URL of its control plane.
    if (full.name === 'localhost') return full.respond(answerTo(full.message, []));
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
  const udp = createSocket('udp4', (message, { address, port: fromPort }) => {
    const respond = (answer: Buffer) => udp.send(answer, fromPort, address);
    received({ message, transport: 'udp', from: address, fromPort, respond, socket: undefined });
  });
  const port = await listenOnOnePort(tcp, udp, host);
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

/** The system chooses the port for TCP; another socket may have it for UDP. */
async function listenOnOnePort(tcp: Server, udp: UdpSocket, host: string): Promise<number> {
  for (;;) {
    tcp.listen(0, host);
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    udp.bind(port, host);
    const isFree = await once(udp, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return port;
    tcp.close();
    await once(tcp, 'close');
  }
}
