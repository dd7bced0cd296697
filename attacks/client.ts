/** The sockets of an attacker, from one address or from many. */
import net from 'node:net';

export interface Target {
  port: number;
  host: string;
  /** Of a free account. */
  accessToken: string;
  addresses: readonly string[];
}

export interface Counts {
  opened: number;
  closedByServer: number;
  answers: Record<string, number>;
}

/** Of an answer nothing but its status and its length is looked at. */
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const ANSWER_TIMEOUT_MS = 30_000;

export class Client {
  readonly counts: Counts = { opened: 0, closedByServer: 0, answers: {} };
  readonly #open = new Set<net.Socket>();
  /** Kept for the next request. */
  readonly #idle: net.Socket[] = [];
  #next = 0;
  #isOn = true;

  constructor(readonly target: Target) {}

  isOn(): boolean {
    return this.#isOn;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** @param isLazy it never reads */
  open(bytes: string, isLazy = false): net.Socket {
    const { port, addresses } = this.target;
    const localAddress = addresses[this.#next++ % addresses.length]!;
    const socket = net.connect({ host: '127.0.0.1', port, localAddress });
    this.counts.opened += 1;
    this.#open.add(socket);
    socket.on('error', () => {}); // A reset; `close` follows.
    socket.on('close', () => {
      if (this.#open.delete(socket) && this.#isOn) this.counts.closedByServer += 1;
    });
    if (isLazy) socket.pause();
    else socket.resume();
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  openAndLeave(bytes: string): void {
    const socket = this.open('');
    socket.on('connect', () => socket.write(bytes, () => socket.resetAndDestroy()));
  }

  /** Sends a request and reads its answer; whatever goes wrong is counted. */
  exchange(request: string): Promise<void> {
    let socket = this.#idle.pop();
    while (socket?.destroyed) socket = this.#idle.pop();
    const used = socket ?? this.open('');
    return new Promise((resolve) => {
      let text = '';
      const finish = (outcome: string) => {
        clearTimeout(late);
        used.off('data', take).off('close', gone);
        this.counts.answers[outcome] = (this.counts.answers[outcome] ?? 0) + 1;
        resolve();
      };
      const gone = () => finish('closed');
      const late = setTimeout(() => {
        used.destroy();
        finish('late');
      }, ANSWER_TIMEOUT_MS);
      const take = (piece: Buffer) => {
        text += piece.toString('latin1');
        const headEnd = text.indexOf('\r\n\r\n');
        if (headEnd < 0 || text.length < headEnd + 4 + Number(LENGTH.exec(text)?.[1] ?? 0)) return;
        if (/\r\nconnection: close\r\n/i.test(text)) used.destroy();
        else this.#idle.push(used);
        finish(text.slice(9, 12));
      };
      used.on('data', take).on('close', gone);
      used.write(request);
    });
  }

  /** Leaves the sockets that are the oldest. */
  leave(count: number): void {
    for (const socket of [...this.#open].slice(0, count)) {
      this.#open.delete(socket);
      socket.resetAndDestroy();
    }
  }

  stop(): void {
    this.#isOn = false;
    for (const socket of this.#open) socket.resetAndDestroy();
  }
}
