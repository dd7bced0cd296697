/** The sockets of an attacker, from one address or from many. */
import net from 'node:net';

export interface Target {
  port: number;
  host: string;
  /** The access token of a free account. */
  accessToken: string;
  /** Of a member of staff who may import proxies. */
  staffToken: string;
  addresses: readonly string[];
}

export interface Counts {
  opened: number;
  closedByServer: number;
  responses: Record<string, number>;
}

/** Only status and length of a response are parsed. */
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const RESPONSE_TIMEOUT_MS = 30_000;

export class Client {
  readonly counts: Counts = { opened: 0, closedByServer: 0, responses: {} };
  readonly #open = new Set<net.Socket>();
  /** Connections that are available for the next request. */
  readonly #idle: net.Socket[] = [];
  #next = 0;
  #isRunning = true;

  constructor(readonly target: Target) {}

  isRunning(): boolean {
    return this.#isRunning;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** @param neverReads the client never reads its responses */
  open(bytes: string, neverReads = false): net.Socket {
    const { port, addresses } = this.target;
    const localAddress = addresses[this.#next++ % addresses.length]!;
    const socket = net.connect({ host: '127.0.0.1', port, localAddress });
    this.counts.opened += 1;
    this.#open.add(socket);
    socket.on('error', () => {}); // A reset; `close` follows.
    socket.on('close', () => {
      if (this.#open.delete(socket) && this.#isRunning) this.counts.closedByServer += 1;
    });
    if (neverReads) socket.pause();
    else socket.resume();
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  openAndReset(bytes: string): void {
    const socket = this.open('');
    socket.on('connect', () => socket.write(bytes, () => socket.resetAndDestroy()));
  }

  /** Sends a request and reads the response. Failures are counted. */
  exchange(request: string): Promise<void> {
    let socket = this.#idle.pop();
    while (socket?.destroyed) socket = this.#idle.pop();
    const used = socket ?? this.open('');
    return new Promise((resolve) => {
      let text = '';
      const finish = (outcome: string) => {
        clearTimeout(timeout);
        used.off('data', onData).off('close', onClose);
        this.counts.responses[outcome] = (this.counts.responses[outcome] ?? 0) + 1;
        resolve();
      };
      const onClose = () => finish('closed');
      const timeout = setTimeout(() => {
        used.destroy();
        finish('timeout');
      }, RESPONSE_TIMEOUT_MS);
      const onData = (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const headEnd = text.indexOf('\r\n\r\n');
        if (headEnd < 0 || text.length < headEnd + 4 + Number(LENGTH.exec(text)?.[1] ?? 0)) return;
        if (/\r\nconnection: close\r\n/i.test(text)) used.destroy();
        else this.#idle.push(used);
        finish(text.slice(9, 12));
      };
      used.on('data', onData).on('close', onClose);
      used.write(request);
    });
  }

  /** Resets the oldest sockets. */
  resetOldest(count: number): void {
    for (const socket of [...this.#open].slice(0, count)) {
      this.#open.delete(socket);
      socket.resetAndDestroy();
    }
  }

  stop(): void {
    this.#isRunning = false;
    for (const socket of this.#open) socket.resetAndDestroy();
  }
}
