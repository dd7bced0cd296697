import { errorBodySchema, type ErrorBody } from '@cellhop/contract/schemas';
import net from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  /** Still with chunk sizes if it uses chunked encoding. */
  text: string;
}

/** A socket to a server of this machine, from an address of this machine. */
export async function openSocket(url: string, localAddress = '127.0.0.1'): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => {}); // A reset is a valid outcome.
  await new Promise<void>((resolve) => void socket.once('connect', resolve).once('close', () => resolve()));
  return socket;
}

/** Resolves once the socket is closed for any reason. Discards received data. */
export function whenClosed(socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else void socket.resume().once('close', () => resolve());
  });
}

/** Sends exactly these bytes, and reads until the server closes. */
export async function exchangeBytes(url: string, bytes: string): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(bytes);
  let text = '';
  for await (const piece of socket.setEncoding('latin1')) text += piece as string;
  return parseAnswer(text);
}

export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => line.split(/:\s?(.*)/s, 2) as [string, string]);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    text: rest.join('\r\n\r\n'),
  };
}

/** @throws if the response does not have the common error format */
export function errorOf({ text }: RawAnswer): ErrorBody {
  return errorBodySchema.parse(JSON.parse(text));
}
