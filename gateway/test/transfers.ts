import type { Socket } from 'node:net';
import type { FakeConnection } from './control-plane.ts';
import { basic, type Harness, openClient, socks5Greeting, socks5Login, socks5Request } from './gateway-harness.ts';
import { listenLocally, patternedBytes, Reader, until } from './sockets.ts';

export const TUNNELS = ['socks5', 'http-connect', 'upgrade'] as const;
export const FRAMINGS = ['length', 'chunked', 'close-delimited'] as const;
export const ENDS = ['fin', 'half-close', 'rst', 'disconnect'] as const;

/** A body that is sent through the gateway in one direction. */
export interface Transfer {
  /** How the client requests the tunnel; for absolute-form requests the framing of the body. */
  readonly protocol: (typeof TUNNELS)[number] | (typeof FRAMINGS)[number];
  readonly direction: 'download' | 'upload';
  /** HTTP version of the client's request. */
  readonly version: '1.0' | '1.1';
  readonly pieceBytes: readonly number[];
  /** Sends each piece in a separate turn of the event loop; otherwise all pieces and the end in one. */
  readonly isPaced: boolean;
  /** `half-close`: the receiver has already ended its direction. `disconnect`: the user ends the connection. */
  readonly end: (typeof ENDS)[number];
  /** How far grants are ahead of the usage. */
  readonly grantStepBytes: number;
  /** The share of the body for which the credit lasts. */
  readonly paidShare: number;
}

export interface Outcome {
  readonly sent: Buffer;
  readonly received: Buffer;
  /** The receiver got a clean end. */
  readonly isClean: boolean;
  readonly countedBytes: number;
  /** Counted bytes besides the received body; undefined if the gateway changes the framing. */
  readonly overheadBytes: number | undefined;
}

interface Received {
  readonly head: string;
  readonly body: Buffer;
  readonly isComplete: boolean;
}

const TRIGGER = 'go';
const SWITCHED = 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';

export async function runTransfer({ control, gateway }: Harness, transfer: Transfer): Promise<Outcome> {
  const sent = patternedBytes(transfer.pieceBytes.reduce((sum, bytes) => sum + bytes, 0));
  const { grantStepBytes, paidShare } = transfer;
  const allowedBytes = paidShare < 1 ? Math.max(1, Math.floor(sent.length * paidShare)) : Number.MAX_SAFE_INTEGER;
  const connection = control.sell({ grantStepBytes, allowedBytes });
  const origins: Reader[] = [];
  const { server, port } = await listenLocally((socket) => {
    origins.push(new Reader(socket));
    void serve(origins[0]!, transfer, sent).catch(() => socket.destroy()); // The request was aborted.
  });
  const client = await openClient(gateway.port);
  if (transfer.end === 'disconnect') void disconnect(connection);
  const received = await exchange(client, transfer, { connection, port, sent, origins }).catch(() => undefined);
  connection.state = 'ended';
  // A client that disconnected before its login has no connection that could end.
  await until(() => connection.endedAtBytes !== undefined || origins.length === 0);
  const origin = origins[0]?.socket;
  const overheadBytes = received && origin && overheadFor(transfer, received, { origin, sent });
  for (const { socket } of [client, ...origins]) socket.destroy();
  server.close();
  const [body, isClean] = [received?.body ?? Buffer.alloc(0), received?.isComplete ?? false];
  return { sent, received: body, isClean, countedBytes: connection.endedAtBytes ?? 0, overheadBytes };
}

/** @throws Error if the client is closed during its handshake */
async function exchange(
  client: Reader,
  transfer: Transfer,
  { connection, port, sent, origins }: { connection: FakeConnection; port: number; sent: Buffer; origins: Reader[] },
): Promise<Received> {
  const { protocol, direction, end, version } = transfer;
  const isUpload = direction === 'upload';
  await openTunnel(client, transfer, connection, port);
  if (isFramed(protocol)) {
    const fields = `Host: x\r\nConnection: close\r\nProxy-Authorization: ${basic(connection)}\r\n`;
    const line = `${isUpload ? 'POST' : 'GET'} http://127.0.0.1:${port}/ HTTP/${version}\r\n`;
    client.socket.write(`${line}${fields}${isUpload ? framingField(protocol, sent.length) : ''}\r\n`);
  } else if (!isUpload) {
    if (end === 'half-close') client.socket.end(TRIGGER);
    else client.socket.write(TRIGGER);
  }
  if (isUpload) await send(client.socket, transfer, sent);
  if (!isUpload) return readMessage(client, !isFramed(protocol));
  await Promise.race([until(() => origins.length > 0), client.rest()]);
  const origin = origins[0];
  if (!origin) throw new Error('No connection reached the origin');
  return readMessage(origin, !isFramed(protocol), protocol === 'upgrade' || isFramed(protocol));
}

async function openTunnel(client: Reader, { protocol }: Transfer, connection: FakeConnection, port: number) {
  const { socket } = client;
  const authorization = `Proxy-Authorization: ${basic(connection)}\r\n`;
  if (protocol === 'socks5') {
    socket.write(Buffer.concat([socks5Greeting, socks5Login(connection), socks5Request('127.0.0.1', port)]));
    const reply = (await client.take(14))[5];
    if (reply !== 0) throw new Error(`Reply ${reply}`);
  } else if (protocol === 'http-connect') {
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`);
    await takeHead(client, 200);
  } else if (protocol === 'upgrade') {
    const fields = `Host: x\r\nConnection: Upgrade\r\nUpgrade: chat\r\n${authorization}\r\n`;
    socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${fields}`);
    await takeHead(client, 101);
  }
}

async function takeHead(client: Reader, status: number): Promise<void> {
  const head = await client.takeUntil('\r\n\r\n');
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(head);
}

/** The origin: accepts the request, and then sends or receives the body. */
async function serve(origin: Reader, transfer: Transfer, sent: Buffer): Promise<void> {
  const { protocol, direction, end } = transfer;
  const { socket } = origin;
  const isUpload = direction === 'upload';
  if (protocol === 'upgrade') {
    await origin.peekUntil('\r\n\r\n');
    socket.write(SWITCHED);
  }
  if (isUpload) {
    if (end === 'half-close') socket.end();
    return;
  }
  if (isFramed(protocol)) {
    await origin.peekUntil('\r\n\r\n');
    socket.write(`${OK}${framingField(protocol, sent.length)}\r\n`);
  } else {
    await origin.peekUntil(TRIGGER);
    if (end === 'half-close') await origin.rest();
  }
  await send(socket, transfer, sent);
}

async function send(socket: Socket, { protocol, pieceBytes, isPaced, end, direction }: Transfer, sent: Buffer) {
  const isChunked = protocol === 'chunked';
  let at = 0;
  for (const bytes of pieceBytes) {
    if (isChunked) socket.write(`${bytes.toString(16)}\r\n`);
    socket.write(sent.subarray(at, at + bytes));
    if (isChunked) socket.write('\r\n');
    at += bytes;
    if (isPaced) await new Promise(setImmediate);
  }
  if (end === 'rst') return socket.resetAndDestroy();
  if (isChunked) socket.write('0\r\n\r\n');
  // An end by the client of an absolute-form request counts as a disconnect, and `disconnect` closes before the end.
  const isEndSent = end !== 'disconnect' && !(isFramed(protocol) && direction === 'upload');
  return isEndSent && socket.end();
}

/** Reads until the end of the message or of the socket. */
async function readMessage(reader: Reader, isTunnel: boolean, hasHead = !isTunnel): Promise<Received> {
  const { bytes, end } = await reader.restUntil((bytes) => !isTunnel && decode(bytes).isComplete);
  if (hasHead && isTunnel) {
    const headBytes = bytes.indexOf('\r\n\r\n') + 4;
    return {
      head: bytes.toString('latin1', 0, headBytes),
      body: bytes.subarray(headBytes),
      isComplete: end === 'ended',
    };
  }
  if (isTunnel) return { head: '', body: bytes, isComplete: end === 'ended' };
  const message = decode(bytes);
  return message.isDelimited ? message : { ...message, isComplete: end === 'ended' && message.head.includes(' 200 ') };
}

function decode(bytes: Buffer): Received & { readonly isDelimited: boolean } {
  const headBytes = bytes.indexOf('\r\n\r\n') + 4;
  const head = headBytes < 4 ? '' : bytes.toString('latin1', 0, headBytes);
  const rest = bytes.subarray(headBytes);
  if (headBytes < 4) return { head: '', body: Buffer.alloc(0), isComplete: false, isDelimited: true };
  if (/^HTTP\/1.1 [45]/.test(head)) return { head, body: Buffer.alloc(0), isComplete: false, isDelimited: true };
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return { head, body: rest, isComplete: rest.length === Number(length), isDelimited: true };
  if (!/transfer-encoding: chunked/i.test(head)) return { head, body: rest, isComplete: false, isDelimited: false };
  return { head, ...decodeChunks(rest), isDelimited: true };
}

function decodeChunks(bytes: Buffer): { body: Buffer; isComplete: boolean } {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return { body: Buffer.concat(chunks), isComplete: false };
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return { body: Buffer.concat(chunks), isComplete: bytes.length >= lineEnd + 4 };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

function overheadFor(
  { protocol, direction }: Transfer,
  { head, body }: Received,
  { origin, sent }: { origin: Socket; sent: Buffer },
) {
  if (direction === 'upload') {
    const switchedBytes = protocol === 'upgrade' ? SWITCHED.length : 0;
    return origin.bytesRead - body.length + switchedBytes;
  }
  if (protocol === 'upgrade') return origin.bytesRead + SWITCHED.length;
  if (!isFramed(protocol)) return origin.bytesRead;
  const isRefused = !head.includes(' 200 ');
  if (isRefused || protocol === 'chunked') return undefined;
  return origin.bytesRead + `${OK}${framingField(protocol, sent.length)}\r\n`.length;
}

async function disconnect(connection: FakeConnection): Promise<void> {
  await until(() => connection.usedBytes > 0 || connection.endedAtBytes !== undefined);
  connection.state = 'ended';
}

const isFramed = (protocol: Transfer['protocol']): protocol is (typeof FRAMINGS)[number] =>
  FRAMINGS.some((framing) => framing === protocol);

function framingField(protocol: (typeof FRAMINGS)[number], bodyBytes: number): string {
  if (protocol === 'chunked') return 'Transfer-Encoding: chunked\r\n';
  return protocol === 'length' ? `Content-Length: ${bodyBytes}\r\n` : '';
}
