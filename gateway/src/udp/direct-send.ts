import { createSocket, type Socket, type SocketType } from 'node:dgram';
import { getSystemErrorName } from 'node:util';

/** At least one, because libuv ends the process otherwise. */
export type Parts = readonly [Uint8Array, ...Uint8Array[]];

/** Called by the handle when the system has accepted or refused a queued datagram. */
interface SendRequest {
  oncomplete: (error: number) => void;
  /** Keeps the buffers alive while they are queued. */
  parts: Parts;
}

export type SendRequestType = new () => SendRequest;

interface UdpHandle {
  /** @returns above 0 if the system took the datagram, 0 if it is queued (then the handle owns the request), below 0: an error */
  send(request: SendRequest, parts: Parts, count: number, port: number, address: string, hasCallback: boolean): number;
}

export interface SendEvents {
  /** The datagram is queued; `sent` follows. */
  queued(): void;
  sent(): void;
  /** The datagram is lost. */
  failed(error: Error): void;
}

/** Sends one datagram. The address is a literal of the socket's family. */
export type Send = (parts: Parts, port: number, address: string) => void;

const TEST_MS = 1_000;
let tested: Promise<SendRequestType | undefined> | undefined;

/**
 * What `directSend` needs. `Socket#send` allocates a request, two closures and a callback for the next tick for each datagram, which costs
 * up to a microsecond; the system usually takes the datagram at once, so none of them is needed. The handle is not documented: the
 * first call tests it.
 * @returns undefined if this version of Node does not send like that
 */
export function findSendRequest(test = testDirectSend): Promise<SendRequestType | undefined> {
  tested ??= test().catch((error: unknown) => {
    // On a busy machine, which says nothing about Node. The next call tests again.
    if (error instanceof TestTimeout) tested = undefined;
    return undefined;
  });
  return tested;
}

export class TestTimeout extends Error {}

/** @param socket bound */
export function directSend(socket: Socket, Request: SendRequestType, events: SendEvents): Send {
  const handle = findHandle(socket);
  if (!handle) throw new Error('The socket has no handle');
  const completed = (error: number) => {
    events.sent();
    if (error !== 0) events.failed(systemError(error));
  };
  const createRequest = () => Object.assign(new Request(), { oncomplete: completed });
  let request = createRequest();
  return (parts, port, address) => {
    const result = handle.send(request, parts, parts.length, port, address, true);
    if (result > 0) return;
    if (result < 0) return events.failed(systemError(result));
    request.parts = parts;
    request = createRequest();
    events.queued();
  };
}

/** For versions of Node whose handle works in another way. */
export function ordinarySend(socket: Socket, events: SendEvents): Send {
  const done = (error: Error | null) => {
    events.sent();
    if (error) events.failed(error);
  };
  return (parts, port, address) => {
    events.queued();
    socket.send(parts, port, address, done);
  };
}

/** @returns the type of the requests of this version of Node */
async function testDirectSend(): Promise<SendRequestType> {
  const sent: Parts = [Buffer.from('cell'), Buffer.from('hop')];
  const socket = createSocket({
    type: 'udp4' satisfies SocketType,
    lookup: (literal, _, done) => done(null, literal, 4),
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((fulfil, reject) => {
      socket.once('error', reject).bind({ address: '127.0.0.1', port: 0, exclusive: true }, fulfil);
    });
    const { port } = socket.address();
    const Request = captureRequestType(socket, port);
    await new Promise<void>((fulfil, reject) => {
      timer = setTimeout(() => reject(new TestTimeout('No datagram arrived')), TEST_MS);
      socket.once('message', (message) => {
        if (message.equals(Buffer.concat(sent))) fulfil();
        else reject(new Error('The datagram arrived changed'));
      });
      const send = directSend(socket, Request, { queued: () => {}, sent: () => {}, failed: reject });
      send(sent, port, '127.0.0.1');
    });
    return Request;
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

/** Node does not export the type: this takes it from a call of `Socket#send`, and sends nothing. */
function captureRequestType(socket: Socket, port: number): SendRequestType {
  const handle = findHandle(socket);
  let captured: SendRequestType | undefined;
  if (!handle) throw new Error('The socket has no handle');
  const own = Object.getOwnPropertyDescriptor(handle, 'send');
  handle.send = (request, parts) => {
    captured = request.constructor as SendRequestType;
    return parts.length;
  };
  try {
    socket.send('', port, '127.0.0.1');
  } finally {
    if (own) Object.defineProperty(handle, 'send', own);
    else Reflect.deleteProperty(handle, 'send');
  }
  if (!captured) throw new Error('Node sends datagrams in another way');
  return captured;
}

function findHandle(socket: Socket): UdpHandle | undefined {
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'state symbol');
  const state = symbol && (socket as unknown as Record<symbol, { handle?: UdpHandle } | undefined>)[symbol];
  return state?.handle;
}

const systemError = (code: number) => Object.assign(new Error('send'), { code: getSystemErrorName(code) });
