import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { basic, type Credentials, untilGauge } from '../../test/gateway-harness.ts';
import { openHttp2Client, restOf, send } from '../../test/http2-client.ts';
import { listenLocally, patternedBytes, sha256, until } from '../../test/sockets.ts';
import { startTlsHarness, type TlsHarness } from '../../test/tls-harness.ts';

describe('requests over HTTP/2', () => {
  let harness: TlsHarness;
  let login: Credentials;
  let origin: string;
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  let requests: IncomingMessage[];
  const ports: (number | undefined)[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    ports.push(request.socket.remotePort);
    handle(request, response);
  });
  beforeAll(async () => {
    harness = await startTlsHarness();
    login = harness.control.sell();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await harness.stop();
  });

  const open = async () => {
    requests = [];
    const session = await openHttp2Client(harness.gateway);
    onTestFinished(() => session.destroy());
    return session;
  };
  const head = (method: string, fields: object = {}) => ({
    ':method': method,
    ':scheme': 'http',
    ':authority': origin,
    ':path': '/page?a=b',
    'proxy-authorization': basic(login),
    ...fields,
  });

  it('are served as those in absolute form, each on a connection of its own to the origin', async () => {
    handle = (_request, response) =>
      response.writeHead(200, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Answer': 'yes' }).end('text');
    const session = await open();
    for (let count = 0; count < 2; count += 1) {
      const { stream, status, headers } = await send(
        session,
        head('GET', { cookie: 'one=1; two=2', 'x-own': 'kept' }),
        '',
      );
      expect({ status, cookies: headers['set-cookie'], answer: headers['x-answer'] }).toEqual({
        status: 200,
        cookies: ['a=1', 'b=2'],
        answer: 'yes',
      });
      expect((await restOf(stream)).bytes.toString()).toBe('text');
    }
    expect(requests.map(({ url, headers }) => [url, headers.host, headers.cookie, headers['x-own']])).toEqual(
      Array.from({ length: 2 }, () => ['/page?a=b', origin, 'one=1; two=2', 'kept']),
    );
    expect(requests.every(({ headers }) => headers['proxy-authorization'] === undefined)).toBe(true);
    expect(new Set(ports).size).toBe(2);
  });

  it('carry bodies both ways, with and without a length', async () => {
    handle = (request, response) => void request.pipe(response);
    const session = await open();
    const body = patternedBytes(1_000_000);
    for (const fields of [{}, { 'content-length': String(body.length) }]) {
      const { stream } = await send(session, head('POST', fields), body);
      expect(sha256((await restOf(stream)).bytes)).toBe(sha256(body));
    }
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('end without a body: %s, %d', async (method, status) => {
    handle = (_request, response) => response.writeHead(status).end();
    const session = await open();
    const answer = await send(session, head(method), '');
    expect(answer.status).toBe(status);
    expect(await restOf(answer.stream)).toEqual({ bytes: Buffer.alloc(0), code: 0 });
  });

  it('are refused as those in absolute form', async () => {
    handle = (_request, response) => response.end();
    const session = await open();
    const refusals = [
      [{ 'proxy-authorization': undefined }, 407],
      [{ 'proxy-authorization': 'Basic d3Jvbmc6d3Jvbmc=' }, 407],
      [{ ':scheme': 'https' }, 400],
      [{ ':scheme': 'ftp' }, 400],
      [{ ':authority': 'nobody.invalid' }, 502],
      [{ ':authority': '127.0.0.1:25' }, 403],
    ] as const;
    for (const [fields, status] of refusals) {
      const answer = await send(session, JSON.parse(JSON.stringify(head('GET', fields))) as Record<string, string>, '');
      expect(answer.status).toBe(status);
      await restOf(answer.stream);
    }
    expect(requests).toEqual([]);
  });

  it('reset the stream if the origin ends early, and the origin if the stream is reset', async () => {
    const responses: ServerResponse[] = [];
    handle = (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('a part');
      responses.push(response);
    };
    const session = await open();
    const { stream } = await send(session, head('GET'), '');
    const rest = restOf(stream);
    responses[0]!.destroy();
    expect((await rest).code).not.toBe(0);

    let isClosed = false;
    handle = (_request, response) => {
      response.on('close', () => (isClosed = true)).write('a part');
    };
    const running = await send(session, head('GET'), '');
    running.stream.close(8);
    await until(() => isClosed);
    expect(await untilGauge(harness.gateway, 'gateway_tunnels', 0)).toBe(0);
  });

  it('wait for a client that does not read', async () => {
    const { port } = await listenLocally((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.end(patternedBytes(20_000_000));
      });
    });
    const session = await open();
    const { stream } = await send(session, head('GET', { ':authority': `127.0.0.1:${port}` }), '');
    const { bytes } = await restOf(stream);
    expect(sha256(bytes)).toBe(sha256(patternedBytes(20_000_000)));
  });
});
