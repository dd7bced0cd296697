/** Upstream proxies for tests: real SOCKS5 and HTTP CONNECT servers on loopback, which can misbehave. */
import { connect, type Socket } from 'node:net';
import { addressText, authorityText, parseAuthority, type Target } from '../src/protocol/host.ts';
import { parseRequest } from '../src/protocol/socks5.ts';
import { listenLocally, Reader } from './sockets.ts';

export interface UpstreamSettings {
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Replaces the reply to a request; it is sent, and then `afterReply` is called. */
  readonly reply?: Buffer;
  readonly afterReply?: (socket: Socket) => void;
  /** Where requests for an authority really go; undefined: it is refused. By default to itself. */
  readonly route?: (
    authority: string,
  ) => { readonly host: string; readonly port: number; readonly localAddress?: string } | undefined;
}

/** The requests that a server has received. */
interface SeenByUpstream {
  readonly logins: string[];
  readonly targets: string[];
}

const SUCCESS = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

/** @param port by default a free one */
export async function startSocks5Upstream(settings: UpstreamSettings = {}, port = 0) {
  return start(port, async (reader, seen) => {
    const { socket } = reader;
    const [, count = 0] = await reader.take(2);
    const methods = await reader.take(count);
    const method = settings.credentials ? 2 : 0;
    if (!methods.includes(method)) return void socket.end(Buffer.from([5, 0xff]));
    socket.write(Buffer.from([5, method]));
    if (settings.credentials) {
      const username = (await reader.take((await reader.take(2))[1]!)).toString();
      const password = (await reader.take((await reader.take(1))[0]!)).toString();
      seen.logins.push(`${username}:${password}`);
      const { credentials } = settings;
      const isRight = username === credentials.username && password === credentials.password;
      socket.write(Buffer.from([1, isRight ? 0 : 1]));
      if (!isRight) return void socket.end();
    }
    const head = await reader.take(4);
    const parsed = parseRequest(Buffer.concat([head, await reader.take(head[3] === 4 ? 18 : 6)]));
    if (parsed.kind !== 'message' || !parsed.message.target) throw new Error('The request is not one with an address');
    await serve(reader, parsed.message.target, seen, settings, SUCCESS);
  });
}

export async function startHttpUpstream(settings: UpstreamSettings = {}) {
  return start(0, async (reader, seen) => {
    const head = await reader.takeUntil('\r\n\r\n');
    const [, authority = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head) ?? [];
    const [, encoded] = /^Proxy-Authorization: Basic (.*)\r$/m.exec(head) ?? [];
    if (encoded !== undefined) seen.logins.push(Buffer.from(encoded, 'base64').toString());
    const { credentials } = settings;
    if (credentials && seen.logins.at(-1) !== `${credentials.username}:${credentials.password}`)
      return void reader.socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    await serve(reader, parseAuthority(authority)!, seen, settings, Buffer.from('HTTP/1.1 200 OK\r\n\r\n'));
  });
}

type Serve = (reader: Reader, seen: SeenByUpstream) => Promise<void>;

async function start(wantedPort: number, serveClient: Serve) {
  const seen: SeenByUpstream = { logins: [], targets: [] };
  const sockets = new Set<Socket>();
  const { server, port } = await listenLocally((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A client that leaves early, as checks do.
    serveClient(new Reader(socket), seen).catch(() => socket.destroy());
  }, wantedPort);
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, seen, sockets, stop };
}

async function serve(
  reader: Reader,
  target: Target,
  seen: SeenByUpstream,
  { reply, afterReply, route }: UpstreamSettings,
  success: Buffer,
): Promise<void> {
  const { socket } = reader;
  seen.targets.push(authorityText(target));
  if (reply) {
    socket.write(reply);
    afterReply?.(socket);
    return;
  }
  if (target.host.kind !== 'address') throw new Error('The destination is a name');
  const to = route ? route(authorityText(target)) : { host: addressText(target.host.bytes), port: target.port };
  if (!to) return void socket.destroy();
  const destination = connect({ ...to, allowHalfOpen: true });
  destination.on('error', () => socket.destroy()).once('connect', () => socket.write(success));
  socket.removeAllListeners('data');
  socket.pipe(destination).pipe(socket);
}
