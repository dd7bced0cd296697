import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { freePort } from '../../tools/ports.mjs';

/** A UDP client that asks a DNS port. */
export class DnsClient {
  readonly received: Buffer[] = [];

  private constructor(
    readonly socket: Socket,
    private readonly port: number,
  ) {
    socket.on('message', (message) => this.received.push(message));
    socket.on('error', () => {});
  }

  static async open(port: number, from = '127.0.0.1'): Promise<DnsClient> {
    const socket = createSocket('udp4');
    socket.bind(0, from);
    await once(socket, 'listening');
    return new DnsClient(socket, port);
  }

  send(message: Buffer): void {
    this.socket.send(message, this.port, '127.0.0.1');
  }

  /** Sends a message until there is an answer. */
  async ask(message: Buffer, resendMs = 10_000): Promise<Buffer> {
    const before = this.received.length;
    let sentAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      const answer = this.received[before];
      if (answer) return answer;
      if (performance.now() - sentAt > resendMs) {
        this.send(message);
        sentAt = performance.now();
      }
      await new Promise((fulfil) => setTimeout(fulfil, 2));
    }
  }

  close(): void {
    this.socket.close();
  }
}

/** A port that is free for UDP and TCP. */
export async function freeDnsPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const udp = createSocket('udp4');
    const isFree = await new Promise<boolean>((fulfil) => {
      udp.once('error', () => fulfil(false));
      udp.bind(port, '127.0.0.1', () => fulfil(true));
    });
    udp.close();
    if (isFree) return port;
  }
}
