import { createServer, type IncomingMessage, type Server } from 'node:http';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, type Harness, openClient, startHarness } from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, patternedBytes, sha256, until } from '../../test/sockets.ts';

interface Seen {
  readonly line: string;
  readonly rawHeaders: string[];
  readonly body: string;
}

/** Sends bytes on a fresh client and collects everything until the gateway closes. */
async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const client = await openClient(port);
  client.socket.write(bytes);
  const text = (await client.rest()).bytes.toString('latin1');
  client.socket.destroy();
  return text;
}

describe('HTTP', () => {
  let harness: Harness;
  let connection: FakeConnection;
  let origin: Server;
  let originPort: number;
  const seen: Seen[] = [];
  const body = patternedBytes(500_000);

  beforeAll(async () => {
    harness = await startHarness();
    connection = harness.control.sell();
    origin = createServer((request, response) => void respond(request).then((text) => response.end(text)));
    origin.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      seen.push({ line: `${request.method} ${request.url}`, rawHeaders: request.rawHeaders, body: '' });
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\nwelcome');
      socket.pipe(socket);
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    originPort = (origin.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await harness.stop();
    origin.close();
    origin.closeAllConnections();
  });

  async function respond(request: IncomingMessage): Promise<string | Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const line = `${request.method} ${request.url} ${request.httpVersion}`;
    seen.push({ line, rawHeaders: request.rawHeaders, body: Buffer.concat(chunks).toString() });
    return request.url === '/large' ? body : 'hello';
  }

  const head = (line: string, ...fields: string[]) =>
    [line, `Proxy-Authorization: ${basic(connection)}`, ...fields].map((each) => `${each}\r\n`).join('') + '\r\n';
  const get = (path: string, ...fields: string[]) =>
    head(`GET http://127.0.0.1:${originPort}${path} HTTP/1.1`, 'Host: elsewhere.test', 'Connection: close', ...fields);
  const absolute = () => `POST http://127.0.0.1:${originPort}/ HTTP/1.1`;
  const lastSeen = () => seen.at(-1) as Seen;

  it('opens a tunnel with CONNECT', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(head(`CONNECT 127.0.0.1:${originPort} HTTP/1.1`, `Host: 127.0.0.1:${originPort}`));
    expect(await client.takeUntil('\r\n\r\n')).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
    client.socket.end('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const response = (await client.rest()).bytes;
    expect(sha256(response.subarray(-body.length))).toBe(sha256(body));
  });

  it('accepts a CONNECT that arrives byte by byte, and one with payload in the same segment', async () => {
    const request = head(`CONNECT localhost:${originPort} HTTP/1.1`, 'Host: localhost');
    const slow = await openClient(harness.gateway.port);
    for (const byte of Buffer.from(request)) {
      slow.socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect(await slow.takeUntil('\r\n\r\n')).toContain(' 200 ');
    slow.socket.destroy();
    const text = await exchange(
      harness.gateway.port,
      `${request}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toContain('\r\n\r\nhello');
  });

  it('forwards an absolute-form request and counts the bytes at the exit', async () => {
    const customer = harness.control.sell();
    const bytes: number[] = [];
    const { server, port } = await listenLocally((socket) => {
      socket.on('data', (chunk) => bytes.push(chunk.length));
      const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nexact';
      socket.once('data', () => socket.end(reply, () => bytes.push(reply.length)));
    });
    const text = await exchange(
      harness.gateway.port,
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: ${basic(customer)}\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\nexact$/);
    await until(() => customer.usedBytes === bytes.reduce((sum, count) => sum + count, 0));
    server.close();
  });

  it('reveals neither client nor proxy to the origin', async () => {
    await exchange(
      harness.gateway.port,
      get(
        '/path?query=1',
        'Proxy-Connection: keep-alive',
        'Keep-Alive: 5',
        'TE: trailers',
        'X-Named: 1',
        'X-Kept: 2',
      ).replace('Connection: close', 'Connection: close, X-Named'),
    );
    const { line, rawHeaders } = lastSeen();
    expect(line).toBe('GET /path?query=1 1.1');
    expect(rawHeaders).toEqual(['Host', `127.0.0.1:${originPort}`, 'X-Kept', '2', 'Connection', 'close']);
  });

  it('removes hop-by-hop fields from the response', async () => {
    const reply = [
      'HTTP/1.1 200 Fine',
      'Content-Length: 2',
      'Connection: X-Hop',
      'X-Hop: 1',
      'Proxy-Authenticate: Basic',
      'X-End: 1',
    ].join('\r\n');
    const { server, port } = await listenLocally((socket) =>
      socket.once('data', () => socket.end(`${reply}\r\n\r\nok`)),
    );
    const text = await exchange(
      harness.gateway.port,
      head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, 'Host: x', 'Connection: close'),
    );
    expect(text).toMatch(/^HTTP\/1.1 200 Fine\r\n/);
    expect(text).toContain('X-End: 1');
    expect(text).not.toMatch(/X-Hop|Proxy-/);
    server.close();
  });

  it('serves several requests on one client connection', async () => {
    const client = await openClient(harness.gateway.port);
    for (const path of ['/one', '/two', '/three']) {
      client.socket.write(get(path).replace('Connection: close\r\n', ''));
      expect(await client.takeUntil('hello')).toContain('200 OK');
      expect(lastSeen().line).toBe(`GET ${path} 1.1`);
    }
    client.socket.destroy();
  });

  it('serves pipelined requests sequentially, in order', async () => {
    const line = `POST http://127.0.0.1:${originPort}/second HTTP/1.1`;
    const first = get('/first').replace('Connection: close\r\n', '');
    const second = `${head(line, 'Host: x', 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n\r\n`;
    const before = seen.length;
    const text = await exchange(harness.gateway.port, first + second + get('/third'));
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    expect(seen.slice(before).map(({ line, body }) => `${line} ${body}`)).toEqual([
      'GET /first 1.1 ',
      'POST /second 1.1 abc',
      'GET /third 1.1 ',
    ]);
  });

  it('forwards bodies with a length and in chunks', async () => {
    const line = `POST http://127.0.0.1:${originPort}/ HTTP/1.1`;
    await exchange(harness.gateway.port, `${head(line, 'Host: x', 'Connection: close', 'Content-Length: 4')}body`);
    expect(lastSeen().body).toBe('body');
    const chunked = head(line, 'Host: x', 'Connection: close', 'Transfer-Encoding: chunked');
    await exchange(harness.gateway.port, `${chunked}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    expect(lastSeen().body).toBe('abcde');
    await exchange(harness.gateway.port, head(line, 'Host: x', 'Connection: close'));
    expect(lastSeen().rawHeaders).toContain('Content-Length');
  });

  it('forwards the chunks of a POST that a client sends after 100 Continue', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(head(absolute(), 'Host: x', 'Transfer-Encoding: chunked', 'Expect: 100-continue'));
    expect(await client.takeUntil('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    for (const piece of ['3\r\nab', 'c\r\n4\r\ndefg\r\n', '0\r\n\r\n']) client.socket.write(piece);
    expect(await client.takeUntil('hello')).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(lastSeen().body).toBe('abcdefg');
    client.socket.destroy();
  });

  it('accepts names and paths in UTF-8, and encodes paths for the origin', async () => {
    // A soft hyphen and another full stop: `localhost.` for browsers.
    const name = Buffer.from(`local\u00adhost\u3002:${originPort}`).toString('latin1');
    const connected = await openClient(harness.gateway.port);
    connected.socket.write(Buffer.from(head(`CONNECT ${name} HTTP/1.1`, `Host: ${name}`), 'latin1'));
    expect(await connected.takeUntil('\r\n\r\n')).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
    connected.socket.destroy();
    const line = `GET http://${name}/${Buffer.from('ü?💩').toString('latin1')}%20 HTTP/1.1`;
    const client = await openClient(harness.gateway.port);
    const bytes = Buffer.from(head(line, `Host: ${name}`, 'Connection: close'), 'latin1');
    for (const byte of bytes) client.socket.write(Buffer.from([byte]));
    expect((await client.rest()).bytes.toString()).toMatch(/^HTTP\/1.1 200 [^]*hello$/);
    expect(lastSeen().line).toBe('GET /%C3%BC?%F0%9F%92%A9%20 1.1');
    expect(lastSeen().rawHeaders).toEqual(expect.arrayContaining([`localhost:${originPort}`]));
  });

  it.each(['a\u00ff.test', 'a%2etest', '%C3.test', 'a%EF%BC%8Fb'])('returns 400 for the name %j', async (name) => {
    const line = `GET http://${name}/ HTTP/1.1`;
    const text = await exchange(
      harness.gateway.port,
      Buffer.from(head(line, 'Host: x', 'Connection: close'), 'latin1'),
    );
    expect(text).toMatch(/^HTTP\/1.1 400 /);
  });

  it('forwards 100 Continue of the origin', async () => {
    const client = await openClient(harness.gateway.port);
    const line = `PUT http://127.0.0.1:${originPort}/ HTTP/1.1`;
    client.socket.write(head(line, 'Host: x', 'Connection: close', 'Content-Length: 4', 'Expect: 100-continue'));
    expect(await client.takeUntil('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('late');
    expect((await client.rest()).bytes.toString()).toContain('200 OK');
    expect(lastSeen().body).toBe('late');
  });

  it('forwards fields with bytes above 0x7f unchanged, with and without an expectation', async () => {
    const line = `PUT http://127.0.0.1:${originPort}/ HTTP/1.1`;
    const fields = ['Host: x', 'Connection: close', 'Content-Length: 4', 'X-Latin: \u00e9\u00ff'];
    for (const expectation of [[], ['Expect: 100-continue']]) {
      const bytes = Buffer.from(`${head(line, ...fields, ...expectation)}body`, 'latin1');
      expect(await exchange(harness.gateway.port, bytes)).toContain('200 OK');
      expect(lastSeen().rawHeaders).toEqual(expect.arrayContaining(['X-Latin', '\u00e9\u00ff']));
    }
  });

  it.each(['1.0', '1.1'])('forwards interim responses to HTTP/%s only if it supports them', async (version) => {
    const { server, port } = await listenLocally((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
      );
    });
    const line = `GET http://127.0.0.1:${port}/ HTTP/${version}`;
    const text = await exchange(harness.gateway.port, head(line, 'Host: x', 'Connection: close'));
    expect(text.startsWith(version === '1.0' ? 'HTTP/1.1 200 ' : 'HTTP/1.1 100 ')).toBe(true);
    expect(text).toMatch(/HTTP\/1.1 200 OK\r\n[^]*ok$/);
    server.close();
  });

  it('serves nothing after a request of an unknown version', async () => {
    const before = seen.length;
    const old = `GET http://127.0.0.1:${originPort}/old\r\nProxy-Connection: keep-alive\r\n\r\n`;
    const text = await exchange(harness.gateway.port, old + get('/after'));
    expect(text).toMatch(/^HTTP\/1.1 505 [^]*Connection: close/);
    expect(seen).toHaveLength(before);
  });

  it('forwards an unknown expectation to the origin, and serves the next request', async () => {
    const line = `GET http://127.0.0.1:${originPort}/expected HTTP/1.1`;
    const text = await exchange(harness.gateway.port, head(line, 'Host: x', 'Expect: nonsense') + get('/next'));
    expect(text).toMatch(/^HTTP\/1.1 417 [^]*HTTP\/1.1 200 OK/);
    expect(lastSeen().line).toBe('GET /next 1.1');
  });

  it('forwards an upgrade and then bytes in both directions', async () => {
    const client = await openClient(harness.gateway.port);
    const line = `GET http://127.0.0.1:${originPort}/chat HTTP/1.1`;
    client.socket.write(head(line, 'Host: x', 'Connection: Upgrade', 'Upgrade: chat', 'Sec-WebSocket-Key: k'));
    expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1.1 101 [^]*Upgrade: chat\r\n/);
    expect((await client.take(7)).toString()).toBe('welcome');
    client.socket.end('and back');
    expect((await client.rest()).bytes.toString()).toBe('and back');
    expect(lastSeen().rawHeaders).toEqual(expect.arrayContaining(['Upgrade', 'chat', 'Sec-WebSocket-Key', 'k']));
  });

  it('forwards the response of an origin that refuses an upgrade', async () => {
    const reply = 'HTTP/1.1 426 No\r\nContent-Length: 2\r\n\r\nno';
    const { server, port } = await listenLocally((socket) => socket.once('data', () => socket.end(reply)));
    const line = `GET http://127.0.0.1:${port}/chat HTTP/1.1`;
    const text = await exchange(harness.gateway.port, head(line, 'Host: x', 'Connection: Upgrade', 'Upgrade: chat'));
    expect(text).toMatch(/^HTTP\/1.1 426 No\r\n[^]*\r\n\r\nno$/);
    server.close();
  });

  it.each(['after the response', 'pipelined'])('returns 400 for a CONNECT after another request: %s', async (order) => {
    const request = head(`GET http://127.0.0.1:${originPort}/ HTTP/1.1`, 'Host: x');
    const connect = head(`CONNECT 127.0.0.1:${originPort} HTTP/1.1`, 'Host: x');
    const client = await openClient(harness.gateway.port);
    client.socket.write(order === 'pipelined' ? request + connect : request);
    expect(await client.takeUntil('hello')).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    if (order !== 'pipelined') client.socket.write(connect);
    const text = (await client.rest()).bytes.toString();
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[^]*Connection: close\r\n\r\n/);
    expect(text).toContain('CONNECT needs a connection that has carried no other request.');
    client.socket.destroy();
  });

  it('returns 407 without valid credentials, for CONNECT and absolute-form', async () => {
    for (const line of [`CONNECT 127.0.0.1:${originPort}`, `GET http://127.0.0.1:${originPort}/`]) {
      const text = await exchange(harness.gateway.port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1.1 407 [^]*Proxy-Authenticate: Basic realm="proxy", charset="UTF-8"\r\n/);
      const wrong = basic({ username: connection.username, password: 'wrong' });
      const fields = `Host: x\r\nConnection: close\r\nProxy-Authorization: ${wrong}\r\n\r\n`;
      expect(await exchange(harness.gateway.port, `${line} HTTP/1.1\r\n${fields}`)).toMatch(/^HTTP\/1.1 407 /);
    }
  });

  it('returns 502 for a 407 of the origin', async () => {
    const reply = 'HTTP/1.1 407 Mine\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n';
    const { server, port } = await listenLocally((socket) => socket.once('data', () => socket.end(reply)));
    const text = await exchange(
      harness.gateway.port,
      head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, 'Host: x', 'Connection: close'),
    );
    expect(text).toMatch(/^HTTP\/1.1 502 /);
    server.close();
  });

  it('returns the cause of a failure as status and Proxy-Status', async () => {
    const refusedPort = await freePort();
    const cases = [
      [`127.0.0.1:${refusedPort}`, 502, 'connection_refused'],
      ['nobody.invalid:80', 502, 'dns_error'],
      ['127.0.0.1:25', 403, 'http_request_denied; details="port-prohibited"'],
      [`localhost:${harness.gateway.port}`, 403, 'destination_ip_prohibited; details="destination-prohibited"'],
    ] as const;
    for (const [authority, status, error] of cases) {
      const forms = [`CONNECT ${authority} HTTP/1.1`, `GET http://${authority}/ HTTP/1.1`];
      for (const line of forms) {
        const text = await exchange(harness.gateway.port, head(line, 'Host: x', 'Connection: close'));
        expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Proxy-Status: gateway; error=${error}\r\n`));
      }
    }
  });

  it('returns 502 if the origin closes without a response', async () => {
    const { server, port } = await listenLocally((socket) => socket.once('data', () => socket.destroy()));
    const line = `GET http://127.0.0.1:${port}/ HTTP/1.1`;
    expect(await exchange(harness.gateway.port, head(line, 'Host: x', 'Connection: close'))).toMatch(/^HTTP\/1.1 502 /);
    server.close();
  });

  it('leaves nothing open for a client that disconnects during its authorization', async () => {
    const originSockets = new Set<Socket>();
    const { server, port } = await listenLocally((socket) => {
      originSockets.add(socket);
      socket.on('error', () => {}); // A reset also closes the socket.
      socket.on('close', () => originSockets.delete(socket));
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    });
    const held = new EventEmitter();
    harness.control.respondsAfter = once(held, 'respond');
    const login = `Proxy-Authorization: ${basic(harness.control.sell())}`;
    const request = head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, 'Host: x', 'Connection: close');
    const client = await openClient(harness.gateway.port);
    client.socket.write(`GET http://127.0.0.1:${port}/never-sent HTTP/1.1\r\nHost: x\r\n${login}\r\n\r\n`);
    // A later request is served later: after it, the gateway has processed the first client's events.
    const refusal = 'GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    await exchange(harness.gateway.port, refusal);
    client.socket.destroy();
    await exchange(harness.gateway.port, refusal);
    held.emit('respond');
    harness.control.respondsAfter = undefined;
    expect(await exchange(harness.gateway.port, request)).toContain('200 OK');
    await until(() => originSockets.size === 0);
    server.close();
  });

  it('never lets a truncated download look complete', async () => {
    const origins: Socket[] = [];
    const { server, port } = await listenLocally((socket) => {
      origins.push(socket);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nbegun'));
    });
    const client = await openClient(harness.gateway.port);
    client.socket.write(head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, 'Host: x', 'Connection: close'));
    await client.takeUntil('begun');
    origins[0]?.resetAndDestroy();
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toBe('\r\n');
    expect(end).toBe('reset');
    server.close();
  });

  describe('refuses, and forwards nothing:', () => {
    const refused: [string, number, () => string][] = [
      [
        'a length and chunks',
        400,
        () => `${head(absolute(), 'Host: x', 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      ],
      ['two equal lengths', 400, () => `${head(absolute(), 'Host: x', 'Content-Length: 4', 'Content-Length: 4')}body`],
      ['two Host fields', 400, () => head(absolute(), 'Host: x', 'Host: x', 'Content-Length: 0')],
      ['no Host field', 400, () => head(absolute(), 'Content-Length: 0')],
      ['a space before the colon', 400, () => head(absolute(), 'Host: x', 'Content-Length : 0')],
      ['a folded line', 400, () => head(absolute(), 'Host: x', 'X-Long: 1\r\n 2')],
      ['a bare line feed', 400, () => head(absolute(), 'Host: x\nX: 1')],
      ['a coding other than chunked', 501, () => head(absolute(), 'Host: x', 'Transfer-Encoding: gzip, chunked')],
      [
        'chunks in HTTP/1.0',
        400,
        () => head(absolute().replace('1.1', '1.0'), 'Host: x', 'Transfer-Encoding: chunked'),
      ],
      ['an https target', 400, () => head('GET https://127.0.0.1/ HTTP/1.1', 'Host: x')],
      ['a target that is not absolute', 400, () => head('GET / HTTP/1.1', 'Host: x')],
      ['a user in the target', 400, () => head('GET http://me@127.0.0.1/ HTTP/1.1', 'Host: x')],
      [
        'too many fields',
        431,
        () => head(absolute(), 'Host: x', ...Array.from({ length: 100 }, (_, at) => `X-${at}: 1`)),
      ],
      ['a head that is too large', 431, () => head(absolute(), 'Host: x', `X: ${'y'.repeat(17_000)}`)],
      ['a CONNECT with a body', 400, () => head('CONNECT a.test:443 HTTP/1.1', 'Host: x', 'Content-Length: 4')],
      ['a CONNECT without a port', 400, () => head('CONNECT a.test HTTP/1.1', 'Host: x')],
      [
        'a CONNECT with a head too large',
        431,
        () => head('CONNECT a.test:1 HTTP/1.1', 'Host: x', `X: ${'y'.repeat(17_000)}`),
      ],
      ['HTTP/2.0', 505, () => head('GET http://127.0.0.1/ HTTP/2.0', 'Host: x')],
    ];
    it.each(refused)('%s (%i)', async (_name, status, request) => {
      const before = seen.length;
      const client = await openClient(harness.gateway.port);
      client.socket.write(request());
      expect(await client.takeUntil('\r\n')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(seen.length).toBe(before);
      client.socket.destroy();
    });
  });
});
