/** Honest customers of a gateway under attack: the speed of their downloads, and whether new tunnels open. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeConnection } from '../gateway/test/control-plane.ts';
import { socks5ConnectInSteps } from '../gateway/test/gateway-harness.ts';
import { listenLocally } from '../gateway/test/sockets.ts';

/** 10 Mbit/s, like a modem: slow enough that this machine is not the bottleneck. */
const DOWNLOAD_BYTES_PER_MS = 1_250;
const PACE_MS = 20;
const NEW_TUNNEL_MS = 250;
/** As long as programs usually wait; on a busy machine alone it may take a second. */
const NEW_TUNNEL_TIMEOUT_MS = 15_000;
const BLOCK = Buffer.alloc(65_536, 'origin');

export interface Download {
  readonly socket: Socket;
  receivedBytes: number;
}

/** By the first byte: `p` gets paced data, `s` endless data, `e` an echo, a request a web page. @returns the port */
export async function startOrigin(): Promise<number> {
  const { port } = await listenLocally((socket) => {
    socket.on('end', () => socket.end());
    socket.once('data', (first: Buffer) => {
      const kind = String.fromCharCode(first[0] ?? 0);
      if (kind === 'G') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      else if (kind === 'e') socket.end(first);
      else if (kind === 'p') sendPaced(socket);
      else if (kind === 's') fill(socket);
    });
  });
  return port;
}

function fill(socket: Socket): void {
  const write = () => {
    while (!socket.destroyed && socket.write(BLOCK));
  };
  socket.on('drain', write);
  write();
}

function sendPaced(socket: Socket): void {
  const startedAt = performance.now();
  let sentBytes = 0;
  const timer = setInterval(() => {
    const dueBytes = (performance.now() - startedAt) * DOWNLOAD_BYTES_PER_MS - sentBytes;
    // Bytes that the gateway does not read in time count as lost speed.
    const sliceBytes = Math.min(Math.floor(dueBytes), BLOCK.length);
    sentBytes += dueBytes;
    if (socket.writableLength === 0) socket.write(BLOCK.subarray(0, sliceBytes));
  }, PACE_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Each customer has a separate network. */
export async function startDownload(
  gatewayPort: number,
  login: FakeConnection,
  originPort: number,
  customer: number,
): Promise<Download> {
  const socket = await openTunnel(gatewayPort, login, originPort, `127.200.${customer}.1`);
  const download = { socket, receivedBytes: 0 };
  socket.on('data', (chunk: Buffer) => (download.receivedBytes += chunk.length));
  socket.write('p');
  return download;
}

/** @returns bytes per second of each */
export async function measureSpeeds(downloads: readonly Download[], seconds: number): Promise<number[]> {
  const before = downloads.map(({ receivedBytes }) => receivedBytes);
  const startedAt = performance.now();
  await pause(seconds * 1000);
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  return downloads.map(({ receivedBytes }, index) => (receivedBytes - before[index]!) / elapsedSeconds);
}

/** Another customer, in a separate network, who opens a tunnel four times a second. */
export class NewTunnels {
  #results: (number | 'failed')[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly gatewayPort: number,
    private readonly login: FakeConnection,
    private readonly originPort: number,
    private readonly address: string,
  ) {
    this.#timer = setInterval(() => this.#try(), NEW_TUNNEL_MS);
  }

  clearResults(): void {
    this.#results = [];
  }

  stop(): { failedShare: number; medianMs: number } {
    clearInterval(this.#timer);
    const times = this.#results.filter((result) => result !== 'failed').sort((one, other) => one - other);
    // No result at all counts as a failure.
    const failedShare = 1 - times.length / Math.max(1, this.#results.length);
    return { failedShare, medianMs: Math.round(times[times.length >> 1] ?? 0) };
  }

  #try(): void {
    const startedAt = performance.now();
    const timeout = pause(NEW_TUNNEL_TIMEOUT_MS, 'timeout' as const, { ref: false });
    Promise.race([this.#echo(), timeout]).then(
      (outcome) => this.#results.push(outcome === 'timeout' ? 'failed' : performance.now() - startedAt),
      () => this.#results.push('failed'),
    );
  }

  async #echo(): Promise<void> {
    const socket = await openTunnel(this.gatewayPort, this.login, this.originPort, this.address);
    const echoed = once(socket, 'data');
    socket.write('e');
    await echoed;
    socket.destroy();
  }
}

async function openTunnel(gatewayPort: number, login: FakeConnection, originPort: number, address: string) {
  const origin = { host: '127.0.0.1', port: originPort };
  const { client, reply } = await socks5ConnectInSteps({ port: gatewayPort }, login, origin, address);
  if (reply !== 0) throw new Error(`Reply ${reply}`);
  client.socket.removeAllListeners('data');
  return client.socket;
}
