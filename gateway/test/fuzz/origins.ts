/** The destinations of the fuzz run: one port on all loopback addresses; each input has a separate address. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { resetSocket, wasReset } from '../../src/pipe/handle.ts';
import { responseTo } from './http-responses.ts';
import { readRequest, fieldTokens } from './messages.ts';
import { type HttpOrigin, type Plan, pattern, type TunnelOrigin } from './plan.ts';

const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');

/** One connection from the gateway. */
export class OriginConnection {
  readonly written: Buffer[] = [];
  #chunks: Buffer[] = [];
  /** `ended`: all data of the gateway and then its end were read. */
  end: 'ended' | 'reset' | undefined;
  /** The origin has reset the connection. */
  hasReset = false;
  isClosed = false;
  #hasResponded = false;
  #isContinued = false;
  #isSwitched = false;
  #surplusBytes = 0;

  constructor(
    private readonly socket: Socket,
    private readonly plan: Plan,
    private readonly nth: number,
    closed: (connection: OriginConnection) => void,
  ) {
    socket.on('error', () => {
      this.end ??= 'reset';
      socket.destroy();
    });
    socket.on('end', () => {
      this.end ??= wasReset(socket) ? 'reset' : 'ended';
      socket.end();
    });
    socket.once('close', () => {
      this.end ??= 'reset';
      this.isClosed = true;
      closed(this);
    });
    const { origin } = plan;
    if (origin.protocol === 'http') this.#serveHttp(origin);
    else this.#serveTunnel(origin);
  }

  get received(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  /** Without what followed the end of a response. */
  get writtenBytes(): number {
    return this.written.reduce((sum, { length }) => sum + length, -this.#surplusBytes);
  }

  #write(bytes: Buffer, then?: () => void): void {
    this.written.push(bytes);
    this.socket.write(bytes, then);
  }

  #reset(): void {
    this.hasReset = true;
    resetSocket(this.socket);
  }

  #serveTunnel({ behaviour, bytes }: TunnelOrigin): void {
    const { socket } = this;
    const blob = pattern(bytes);
    if (behaviour === 'refuse') return void this.socket.destroy();
    if (behaviour === 'greet' || behaviour === 'half-close') this.#write(blob);
    if (behaviour === 'half-close') socket.end();
    let isFirst = true;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      if (behaviour === 'echo' || behaviour === 'greet') this.#write(chunk);
      if (isFirst && behaviour === 'download') this.#write(blob, () => socket.end());
      if (isFirst && behaviour === 'reset') this.#write(blob, () => this.#reset());
      isFirst = false;
    });
  }

  #serveHttp(origin: HttpOrigin): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      if (this.#isSwitched) this.#write(chunk);
      else if (!this.#hasResponded) this.#response(origin);
    });
  }

  #response({ response: name, bytes }: HttpOrigin): void {
    const message = readRequest(this.received, 0);
    if (typeof message === 'string') return;
    const hasExpectation = fieldTokens(message.fields, 'expect').includes('100-continue');
    if (message.state !== 'complete' && name !== 'early refusal') {
      if (hasExpectation && !this.#isContinued) this.#write(CONTINUE);
      this.#isContinued = true;
      return;
    }
    this.#hasResponded = true;
    const mark = `${this.plan.index}/${this.nth}`;
    const isUpgrade = fieldTokens(message.fields, 'connection').includes('upgrade');
    this.#isSwitched = isUpgrade && name === 'switching';
    const responseName = name === 'switching' && !isUpgrade ? 'length' : name;
    const response = responseTo(responseName, { mark, method: message.method, hasExpectation }, bytes);
    this.#surplusBytes = response.surplusBytes ?? 0;
    this.#write(response.bytes, () => {
      if (response.ending === 'end') this.socket.end();
      if (response.ending === 'close') this.socket.destroy();
      if (response.ending === 'reset') this.#reset();
    });
  }
}

export class Origins {
  #server: Server | undefined;
  readonly #open = new Set<Socket>();

  /** @param accept called with the local address of each connection */
  constructor(private readonly accept: (address: string, socket: Socket) => void) {}

  async start(port = 0): Promise<number> {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      this.accept(socket.localAddress ?? '', socket);
    });
    this.#server.listen({ port, host: '0.0.0.0', backlog: 4_096 });
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#open.size;
  }

  stop(): void {
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
  }
}
