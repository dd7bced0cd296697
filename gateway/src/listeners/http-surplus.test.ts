/** @module-tag thorough */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, type Harness, openClient, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, patternedBytes, Reader, until } from '../../test/sockets.ts';

interface Answer {
  readonly method?: string;
  readonly head: string;
  /** As the origin sends it. */
  readonly body?: string;
  readonly surplus: string;
}

const HTML = '<html>SURPLUS</html>';
const NEXT = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nSURPLUS';
const GZIP = gzipSync('hello').toString('latin1');
const WORLD = Buffer.from('wörld').toString('latin1');
const CHUNKS = '5\r\nhello\r\n0\r\n\r\n';

const answers: Record<string, Answer> = {
  'a length and one byte': { head: '200 OK\r\nContent-Length: 5', body: 'hello', surplus: 'X' },
  'a length and a space': { head: '200 OK\r\nContent-Length: 5', body: 'hello', surplus: ' ' },
  'a length and a line end': { head: '200 OK\r\nContent-Length: 5', body: 'hello', surplus: '\r\n' },
  'a length and another response': { head: '200 OK\r\nContent-Length: 5', body: 'hello', surplus: NEXT },
  'a length in characters': {
    head: '200 OK\r\nContent-Length: 5',
    body: WORLD.slice(0, 5),
    surplus: WORLD.slice(5),
  },
  'the length of the plain text of gzip': {
    head: '200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5',
    body: GZIP.slice(0, 5),
    surplus: GZIP.slice(5),
  },
  'a 201 to POST': { method: 'POST', head: '201 Created\r\nContent-Length: 2', body: 'ok', surplus: NEXT },
  'a 302 without a body': { head: '302 Found\r\nLocation: /\r\nContent-Length: 0', surplus: HTML },
  'a 404 without a body': { head: '404 Not Found\r\nContent-Length: 0', surplus: HTML },
  'a 204 and a last chunk': { head: '204 No Content', surplus: '0\r\n\r\n' },
  'a 204 in chunks': { head: '204 No Content\r\nTransfer-Encoding: chunked', surplus: '0\r\n\r\n' },
  'a 204 with a length': { head: '204 No Content\r\nContent-Length: 20', surplus: HTML },
  'a 204 with HTML': { head: '204 No Content', surplus: HTML },
  'a 304 with HTML': { head: '304 Not Modified\r\nContent-Length: 20', surplus: HTML },
  'a 304 with chunks': { head: '304 Not Modified\r\nTransfer-Encoding: chunked', surplus: CHUNKS },
  'HEAD with a length': { method: 'HEAD', head: '200 OK\r\nContent-Length: 7', surplus: 'SURPLUS' },
  'HEAD with chunks': { method: 'HEAD', head: '200 OK\r\nTransfer-Encoding: chunked', surplus: CHUNKS },
  'HEAD with a body': { method: 'HEAD', head: '200 OK', surplus: HTML },
  'a last chunk': { head: '200 OK\r\nTransfer-Encoding: chunked', body: CHUNKS, surplus: NEXT },
};
const cases = Object.entries(answers);

/** Of chunks with one digit of a size. */
const decoded = (chunks: string) => chunks.replaceAll(/\d\r\n|\r\n/g, '');

/** Reads one answer of a case: its status line and its body. */
async function takeAnswer(client: Reader, { body = '' }: Answer): Promise<string[]> {
  const head = await client.takeUntil('\r\n\r\n');
  if (!head.includes('Connection: keep-alive\r\n')) throw new Error(head);
  const [status = ''] = head.split('\r\n');
  if (body === CHUNKS) return [status, decoded(await client.takeUntil('\r\n0\r\n\r\n'))];
  return [status, (await client.take(body.length)).toString('latin1')];
}

const expected = ({ head, body = '' }: Answer) => [
  `HTTP/1.1 ${head.split('\r\n')[0]}`,
  body === CHUNKS ? decoded(body) : body,
];

/** How an answer is sent: in one write, byte by byte, or the surplus after the client has its answer. */
type Pace = 'at once' | 'byte by byte' | 'surplus later';

describe('what an origin sends behind the end of its response is dropped:', () => {
  let harness: Harness;
  let connection: FakeConnection;
  const servers: { close(): void }[] = [];
  beforeAll(async () => {
    harness = await startHarness({ limits: { updateIntervalMs: 20 } });
  });
  beforeEach(() => {
    connection = harness.control.sell();
  });
  afterAll(async () => {
    await harness.stop();
    for (const server of servers) server.close();
  });

  async function startOrigin({ head, body = '', surplus }: Answer, pace: Pace) {
    const sockets: Socket[] = [];
    const answer = `HTTP/1.1 ${head}\r\n\r\n${body}`;
    const sendLater: (() => void)[] = [];
    const respond = async (reader: Reader) => {
      await reader.peekUntil('\r\n\r\n');
      const { socket } = reader;
      if (pace === 'at once') socket.write(Buffer.from(answer + surplus, 'latin1'));
      if (pace === 'surplus later') {
        socket.write(Buffer.from(answer, 'latin1'));
        sendLater.push(() => socket.write(Buffer.from(surplus, 'latin1')));
      }
      if (pace !== 'byte by byte') return;
      for (const byte of Buffer.from(answer + surplus, 'latin1')) {
        socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
    };
    const { server, port } = await listenLocally((socket) => {
      sockets.push(socket.setNoDelay());
      socket.on('end', () => socket.end());
      void respond(new Reader(socket)).catch(() => socket.destroy());
    });
    servers.push(server);
    const sendSurplus = () => {
      for (const send of sendLater.splice(0)) send();
    };
    return { port, sockets, answerBytes: answer.length, sendSurplus };
  }

  const request = (port: number, method = 'GET', version = '1.1', ...fields: string[]) =>
    [
      `${method} http://127.0.0.1:${port}/ HTTP/${version}`,
      'Host: x',
      `Proxy-Authorization: ${basic(connection)}`,
      ...fields,
      ...(method === 'POST' ? ['Content-Length: 0'] : []),
      '',
      '',
    ].join('\r\n');

  async function countedBytes(): Promise<number> {
    connection.state = 'ended';
    await until(() => connection.endedAtBytes !== undefined);
    return connection.endedAtBytes ?? 0;
  }

  it.each(cases)('%s', async (_name, answer) => {
    for (const pace of ['at once', 'byte by byte', 'surplus later'] as const) {
      connection = harness.control.sell();
      const origin = await startOrigin(answer, pace);
      const client = await openClient(harness.gateway.port);
      for (let count = 1; count <= 2; count += 1) {
        client.socket.write(request(origin.port, answer.method));
        expect(await takeAnswer(client, answer)).toEqual(expected(answer));
        origin.sendSurplus();
      }
      await until(() => origin.sockets.length === 2 && origin.sockets.every(({ destroyed }) => destroyed));
      const requestBytes = origin.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
      expect(await countedBytes()).toBe(2 * origin.answerBytes + requestBytes);
      client.socket.end();
      expect((await client.rest()).bytes.toString('latin1')).toBe('');
      client.socket.destroy();
    }
  });

  it.each(cases)('%s, before the next of several pipelined requests', async (_name, answer) => {
    const origin = await startOrigin(answer, 'at once');
    const client = await openClient(harness.gateway.port);
    client.socket.write(request(origin.port, answer.method).repeat(3));
    for (let count = 1; count <= 3; count += 1) expect(await takeAnswer(client, answer)).toEqual(expected(answer));
    await until(() => origin.sockets.length === 3 && origin.sockets.every(({ destroyed }) => destroyed));
    client.socket.destroy();
  });

  it.each(cases)('%s, to HTTP/1.0', async (_name, answer) => {
    const origin = await startOrigin(answer, 'at once');
    const client = await openClient(harness.gateway.port);
    client.socket.write(request(origin.port, answer.method, '1.0'));
    const { bytes, end } = await client.rest();
    const [head, ...rest] = bytes.toString('latin1').split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${answer.head.split('\r\n')[0]}\r\n`);
    const isChunked = answer.body === CHUNKS;
    expect(rest.join('\r\n\r\n')).toBe(isChunked ? 'hello' : (answer.body ?? ''));
    expect(end).toBe('ended');
    client.socket.destroy();
  });

  it('and a reset behind it does not matter to a client that is still receiving the response', async () => {
    const body = patternedBytes(1_000_000);
    const origins: Socket[] = [];
    const { server, port } = await listenLocally((socket) => {
      origins.push(socket);
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body);
      });
    });
    servers.push(server);
    const client = await openClient(harness.gateway.port);
    client.socket.pause();
    client.socket.write(request(port));
    await until(() => connection.usedBytes > body.length);
    origins[0]!.write('SURPLUS', () => origins[0]!.resetAndDestroy());
    await until(() => origins[0]!.destroyed);
    client.socket.resume();
    await client.takeUntil('\r\n\r\n');
    expect((await client.take(body.length)).equals(body)).toBe(true);
    client.socket.destroy();
    await untilGauge(harness.gateway, 'gateway_tunnels', 0);
  });

  it('with any credit: with its last byte the response is complete', async () => {
    const answer = answers['a length and another response']!;
    const origin = await startOrigin(answer, 'at once');
    const client = await openClient(harness.gateway.port);
    const requestBytes = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\nConnection: close\r\n\r\n`.length;
    connection.allowedBytes = requestBytes + origin.answerBytes;
    client.socket.write(request(origin.port));
    expect(await takeAnswer(client, answer)).toEqual(expected(answer));
    await until(() => connection.endedAtBytes !== undefined);
    expect(connection.endedAtBytes).toBe(connection.allowedBytes);
    client.socket.destroy();
  });
});

describe('the head of a response', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());

  async function respondWith(respond: (socket: Socket) => void) {
    const { server, port } = await listenLocally((socket) => socket.once('data', () => respond(socket)));
    const client = await openClient(harness.gateway.port);
    const login = `Proxy-Authorization: ${basic(harness.control.sell())}`;
    client.socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${login}\r\n\r\n`);
    return { client, server };
  }

  it('arrives before the first byte of its body', async () => {
    let origin: Socket | undefined;
    const { client, server } = await respondWith((socket) => {
      origin = socket;
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    });
    expect(await client.takeUntil('\r\n\r\n')).toContain('text/event-stream');
    origin!.end('event');
    expect((await client.takeUntil('\r\n0\r\n\r\n')).slice(0, 8)).toBe('5\r\nevent');
    client.socket.destroy();
    server.close();
  });

  it.each([
    ['length', 'Content-Length: 5\r\n'],
    ['chunks', 'Transfer-Encoding: chunked\r\n'],
  ])('arrives if the body never does: %s', async (_name, field) => {
    const { client, server } = await respondWith((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\n${field}X: 1\r\n\r\n`);
    });
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*X: 1[^]*\r\n\r\n$/);
    expect(end).toBe('ended');
    client.socket.destroy();
    server.close();
  });

  it('arrives before a reset that follows it', async () => {
    const { client, server } = await respondWith((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: 1\r\n\r\n', () => socket.resetAndDestroy());
    });
    const { bytes, end } = await client.rest();
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*X: 1\r\n[^]*\r\n\r\n$/);
    expect(end).toBe('reset');
    client.socket.destroy();
    server.close();
  });
});
