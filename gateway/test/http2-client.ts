import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { basic, type Credentials } from './gateway-harness.ts';
import { openSecureClient } from './tls-harness.ts';

/** A client that speaks HTTP/2 to the proxy, after the settings of the gateway. */
export async function openHttp2Client(
  gateway: { readonly port: number },
  options: object = {},
  localAddress?: string,
): Promise<ClientHttp2Session> {
  const socket = await openSecureClient(gateway, { ALPNProtocols: ['h2'] }, localAddress);
  const session = connect('https://proxy.test', { createConnection: () => socket, ...options });
  session.on('error', () => session.destroy());
  socket.once('end', () => session.destroy()).once('close', () => session.destroy());
  await once(session, 'remoteSettings');
  return session;
}

export interface Answer {
  readonly stream: ClientHttp2Stream;
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
}

/** Sends the head of a request. @returns after the head of the response */
export async function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Buffer,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === '' });
  stream.on('error', () => stream.destroy());
  if (body !== undefined && body !== '') stream.end(body);
  const [answer] = (await once(stream, 'response')) as [Answer['headers'] & { ':status': number }];
  return { stream, status: answer[':status'], headers: answer };
}

export const connectTo = (
  session: ClientHttp2Session,
  port: number,
  login?: Credentials,
  host = '127.0.0.1',
): Promise<Answer> =>
  send(session, {
    ':method': 'CONNECT',
    ':authority': `${host}:${port}`,
    ...(login && { 'proxy-authorization': basic(login) }),
  });

/** Everything that arrives on a stream. `code`: of the reset; 0 at a clean end. */
export async function restOf(stream: ClientHttp2Stream): Promise<{ bytes: Buffer; code: number }> {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // An error is told by the code.
  await new Promise<void>((fulfil) => {
    if (stream.destroyed) return fulfil();
    stream.once('end', fulfil).once('close', fulfil);
  });
  await new Promise(setImmediate);
  return { bytes: Buffer.concat(chunks), code: stream.rstCode ?? 0 };
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A frame (RFC 9113, section 4.1). */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** What begins a connection and opens a tunnel on stream 1, as frames. Node's client sends an end before each reset; others do not. */
export function rawConnect(login: Credentials, port: number): Buffer {
  const fields = [':method', 'CONNECT', ':authority', `127.0.0.1:${port}`, 'proxy-authorization', basic(login)];
  const texts = fields.map((text) => Buffer.concat([Uint8Array.of(text.length), Buffer.from(text)]));
  // Literals without indexing (RFC 7541, section 6.2.2).
  const block = texts.flatMap((text, index) => (index % 2 === 0 ? [Uint8Array.of(0), text] : [text]));
  return Buffer.concat([PREFACE, frame(4, 0, 0), frame(1, 4, 1, Buffer.concat(block))]);
}
