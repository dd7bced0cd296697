/** @module-tag thorough */
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../../test/control-plane.ts';
import { basic, type Harness, openClient, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, Reader, until } from '../../test/sockets.ts';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('absolute-form requests', () => {
  let harness: Harness;
  let connection: FakeConnection;
  const servers: { close(): void }[] = [];
  beforeAll(async () => {
    harness = await startHarness();
    connection = harness.control.sell();
  });
  afterAll(async () => {
    await harness.stop();
    for (const server of servers) server.close();
  });

  /** An origin that answers each head with `response`, and by default never closes by itself. */
  async function startOrigin(response: string, isClosing = false) {
    const heads: string[] = [];
    const sockets: Socket[] = [];
    const respond = async (reader: Reader) => {
      heads.push(await reader.takeUntil('\r\n\r\n'));
      reader.socket.write(Buffer.from(response, 'latin1'));
      if (isClosing) reader.socket.end();
    };
    const { server, port } = await listenLocally((socket) => {
      sockets.push(socket);
      void respond(new Reader(socket)).catch(() => socket.destroy()); // The gateway has closed it.
    });
    servers.push(server);
    return { port, heads, sockets };
  }

  const head = (line: string, ...fields: string[]) =>
    [line, 'Host: x', `Proxy-Authorization: ${basic(connection)}`, ...fields, '', ''].join('\r\n');
  const get = (port: number, ...fields: string[]) => head(`GET http://127.0.0.1:${port}/ HTTP/1.1`, ...fields);

  async function exchange(request: string): Promise<string> {
    const client = await openClient(harness.gateway.port);
    client.socket.write(request);
    const { bytes } = await client.rest();
    client.socket.destroy();
    return bytes.toString('latin1');
  }

  describe('are as tolerant to origins as browsers are, and close the connection to the origin:', () => {
    // What the response would smuggle if anything read on behind it.
    const NEXT = `${OK}Content-Length: 8\r\n\r\nSMUGGLED`;
    it.each([
      [
        'a length and chunks',
        `${OK}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${NEXT}`,
      ],
      ['two equal lengths', `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok${NEXT}`],
      ['bare line feeds', `HTTP/1.1 200 OK\nContent-Length: 2\n\nok${NEXT}`],
      ['chunks with bare line feeds and spaces', `${OK}Transfer-Encoding: chunked\r\n\r\n2 \nok\n0\n\n`],
      ['chunks on two lines', `${OK}${'Transfer-Encoding: chunked\r\n'.repeat(2)}\r\n2\r\nok\r\n0\r\n\r\n${NEXT}`],
      ['chunks twice', `${OK}Transfer-Encoding: chunked, Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n${NEXT}`],
      ['chunks that are not the last coding', `${OK}Transfer-Encoding: chunked, x\r\n\r\n2\r\nok\r\n0\r\n\r\n${NEXT}`],
      [
        'chunk sizes of 16 digits',
        `${OK}Transfer-Encoding: chunked\r\n\r\n${'2'.padStart(16, '0')}\r\nok\r\n${'0'.repeat(16)}\r\n\r\n${NEXT}`,
      ],
      ['no version', `HTTP 200 OK\r\nContent-Length: 2\r\n\r\nok${NEXT}`],
      ['odd names and values', `${OK}A b: 1\r\nnothing\r\nX: a\u0001\0b\r\nContent-Length : 2\r\n\r\nok${NEXT}`],
      ['a head of 60 KB', `${OK}X-Large: ${'x'.repeat(60_000)}\r\nContent-Length: 2\r\n\r\nok${NEXT}`],
      ['many fields', `${OK}${'X: 1\r\n'.repeat(900)}Content-Length: 2\r\n\r\nok${NEXT}`],
    ])('%s', async (_name, response) => {
      const origin = await startOrigin(response);
      const client = await openClient(harness.gateway.port);
      client.socket.write(get(origin.port));
      const responseHead = await client.takeUntil('\r\n\r\n');
      expect(responseHead).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(responseHead.match(/^(?:content-length|transfer-encoding): /gim)).toHaveLength(1);
      const isChunked = /chunked/i.test(responseHead);
      expect(await client.takeUntil(isChunked ? '\r\n0\r\n\r\n' : 'ok')).toBe(
        isChunked ? '2\r\nok\r\n0\r\n\r\n' : 'ok',
      );
      await until(() => origin.sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed));
      // The next request on the same connection of the client gets a new connection to its origin.
      client.socket.write(get(origin.port, 'Connection: close'));
      expect((await client.rest()).bytes.toString('latin1')).not.toContain('SMUGGLED');
      expect(origin.heads).toHaveLength(2);
      client.socket.destroy();
    });

    it.each(['', '-1', '+5', 'null', '5 bytes', '5;', '99999999999999999999'])(
      'a length that is no number (%j) is none: all is body until the origin closes',
      async (length) => {
        const origin = await startOrigin(`${OK}Content-Length: ${length}\r\n\r\nhello${NEXT}`, true);
        const client = await openClient(harness.gateway.port);
        for (let count = 1; count <= 2; count += 1) {
          client.socket.write(get(origin.port));
          expect(await client.takeUntil('\r\n\r\n')).toMatch(
            /^HTTP\/1.1 200 OK\r\n(?![^]*Content-Length)[^]*Transfer-Encoding: chunked/,
          );
          const chunks = await client.takeUntil('\r\n0\r\n\r\n');
          expect(chunks.replaceAll(/^[0-9a-f]{1,2}\r\n|\r\n0\r\n\r\n$/g, '')).toBe(`hello${NEXT}`);
        }
        client.socket.destroy();
      },
    );

    it.each([
      ['different lengths', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`],
      ['a length and another that is no number', `${OK}Content-Length: 2\r\nContent-Length: +2\r\n\r\nok`],
      ['a list of lengths with an empty one', `${OK}Content-Length: 2,\r\n\r\nok`],
      ['a head over 64 KB', `${OK}X-Large: ${'x'.repeat(70_000)}\r\n\r\n`],
      ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ])('but not to %s: 502, and everything that the origin sent is counted', async (_name, response) => {
      const origin = await startOrigin(response);
      expect(await exchange(get(origin.port, 'Connection: close'))).toMatch(/^HTTP\/1.1 502 [^]*http_protocol_error/);
      await untilGauge(harness.gateway, 'gateway_tunnels', 0);
    });

    it('and requests stay strict', async () => {
      const origin = await startOrigin(`${OK}\r\n`);
      for (const request of [
        get(origin.port, 'X: 1\nY: 2'),
        get(origin.port, 'Content-Length: 0', 'Content-Length: 0'),
        get(origin.port, 'Content-Length: 0', 'Transfer-Encoding: chunked'),
        get(origin.port, 'A b: 1'),
      ])
        expect(await exchange(request)).toMatch(/^HTTP\/1.1 400 /);
      expect(origin.heads).toEqual([]);
    });
  });

  it('forward interim responses with their fields, and charge them', async () => {
    const interim = 'HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nConnection: X\r\nX: 1\r\n\r\n';
    const origin = await startOrigin(`${interim}${OK}Content-Length: 2\r\n\r\nok`);
    const text = await exchange(get(origin.port, 'Connection: close'));
    const expected = 'HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n';
    expect(text.slice(0, expected.length)).toBe(expected);
    expect(await exchange(get(origin.port).replace('HTTP/1.1', 'HTTP/1.0'))).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });

  it('keep nothing in memory of interim responses that the client does not read', async () => {
    const interim = `HTTP/1.1 103 Early\r\nLink: ${'x'.repeat(1_000)}\r\n\r\n`.repeat(20_000);
    const origin = await startOrigin(`${interim}${OK}Content-Length: 2\r\n\r\nok`);
    const client = await openClient(harness.gateway.port);
    client.socket.pause();
    const before = connection.usedBytes;
    client.socket.write(get(origin.port, 'Connection: close'));
    await until(() => connection.usedBytes - before > interim.length);
    client.socket.resume();
    const { bytes } = await client.rest();
    expect(bytes.toString('latin1')).toMatch(/\r\n\r\nHTTP\/1.1 200 OK\r\n[^]*ok$/);
    expect(bytes.length).toBeLessThan(interim.length);
    client.socket.destroy();
  });

  it('forward another coding of the body than chunks', async () => {
    for (const coding of ['gzip, chunked', 'gzip']) {
      const body = coding === 'gzip' ? 'coded' : '5\r\ncoded\r\n0\r\n\r\n';
      const origin = await startOrigin(`${OK}Transfer-Encoding: ${coding}\r\n\r\n${body}`);
      if (coding === 'gzip') void until(() => origin.heads.length > 0).then(() => origin.sockets[0]?.end());
      const text = await exchange(get(origin.port, 'Connection: close'));
      expect(text).toMatch(/Transfer-Encoding: gzip, chunked\r\n[^]*\r\n\r\n5\r\ncoded\r\n0\r\n\r\n$/);
      expect(await exchange(get(origin.port).replace('HTTP/1.1', 'HTTP/1.0'))).toMatch(/^HTTP\/1.1 502 /);
    }
  });

  it("forward an origin's Proxy-Status, but no other field of proxies", async () => {
    const fields = 'Proxy-Status: cdn; error=dns_error\r\nProxy-Authenticate: Basic\r\n';
    const origin = await startOrigin(`${OK}${fields}Content-Length: 0\r\n\r\n`);
    const text = await exchange(get(origin.port, 'Connection: close', 'Proxy-Status: mine'));
    expect(text).toContain('Proxy-Status: cdn; error=dns_error\r\n');
    expect(text).not.toContain('Proxy-Authenticate');
    expect(origin.heads[0]).not.toContain('Proxy-');
  });

  it('count Max-Forwards down, and end at the gateway when it is 0', async () => {
    const origin = await startOrigin(`${OK}Content-Length: 0\r\n\r\n`);
    const line = `TRACE http://127.0.0.1:${origin.port}/ HTTP/1.1`;
    await exchange(head(line, 'Max-Forwards: 2', 'Connection: close'));
    expect(origin.heads[0]).toContain('Max-Forwards: 1\r\n');
    const text = await exchange(head(line, 'Max-Forwards: 0', 'Connection: close', 'Cookie: a'));
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\nContent-Type: message\/http\r\n/);
    expect(text).toContain(`\r\n\r\n${line}\r\nHost: x\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n`);
    const wrong = `${line}\r\nHost: x\r\nMax-Forwards: 0\r\nConnection: close\r\n\r\n`;
    expect(await exchange(wrong)).toMatch(/^HTTP\/1.1 407 /);
    expect(origin.heads).toHaveLength(1);
  });

  it.each([
    ['h2c', 'HTTP2-Settings: AAMAAABk', 'Content-Length: 4', 'body'],
    ['TLS/1.2', 'X: 1', 'Transfer-Encoding: chunked', '4\r\nbody\r\n0\r\n\r\n'],
    ['websocket', 'X: 1', 'Content-Length: 4', 'body'],
    ['h2c', 'X: 1', 'X: 2', ''],
    ['TLS/1.0, HTTP/2.0', 'X: 1', 'X: 2', ''],
  ])('that only offer an upgrade (%s) are served without it', async (protocol, field, framing, body) => {
    const origin = await startOrigin(`${OK}Content-Length: 2\r\n\r\nok`);
    const client = await openClient(harness.gateway.port);
    const request = head(
      `POST http://127.0.0.1:${origin.port}/ HTTP/1.1`,
      'Connection: Upgrade, HTTP2-Settings',
      `Upgrade: ${protocol}`,
      field,
      framing,
    );
    for (let count = 1; count <= 2; count += 1) {
      client.socket.write(request + body);
      expect(await client.takeUntil('ok')).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*Connection: keep-alive/);
      expect(origin.heads).toHaveLength(count);
      expect(origin.heads.at(-1)).not.toMatch(/upgrade|HTTP2-Settings/i);
    }
    client.socket.destroy();
  });

  it('may have a ws address', async () => {
    const origin = await startOrigin(
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nwelcome',
    );
    const client = await openClient(harness.gateway.port);
    const line = `GET ws://127.0.0.1:${origin.port}/chat HTTP/1.1`;
    client.socket.write(head(line, 'Connection: Upgrade', 'Upgrade: websocket'));
    expect(await client.takeUntil('welcome')).toMatch(/^HTTP\/1.1 101 /);
    expect(origin.heads[0]).toMatch(/^GET \/chat HTTP\/1.1\r\nHost: 127.0.0.1:\d+\r\n/);
    client.socket.destroy();
    const other = await openClient(harness.gateway.port);
    other.socket.write(head('GET wss://127.0.0.1/ HTTP/1.1'));
    expect(await other.takeUntil('use CONNECT')).toMatch(/^HTTP\/1.1 400 /);
    other.socket.destroy();
  });

  it('may follow empty lines, at the start and between requests', async () => {
    const origin = await startOrigin(`${OK}Content-Length: 2\r\n\r\nok`);
    const client = await openClient(harness.gateway.port);
    for (let count = 0; count < 2; count += 1) {
      for (const piece of ['\r', '\n', '\r\n\n', get(origin.port)]) {
        client.socket.write(piece);
        await new Promise(setImmediate);
      }
      expect(await client.takeUntil('ok')).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    }
    client.socket.destroy();
    expect(await exchange(`\r\nCONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 407 /);
  });

  it.each(['first', 'second'])('of HTTP/2 get 505 at once: the %s request', async (which) => {
    const origin = await startOrigin(`${OK}Content-Length: 2\r\n\r\nok`);
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    const client = await openClient(harness.gateway.port);
    if (which === 'second') {
      client.socket.write(get(origin.port));
      await client.takeUntil('ok');
    }
    client.socket.write(preface);
    expect(await client.takeUntil('\r\n\r\n')).toMatch(/^HTTP\/1.1 505 [^]*Connection: close\r\n/);
    client.socket.destroy();
  });
});
