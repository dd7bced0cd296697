import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Credentials,
  openClient,
  socks4Request,
  startHarness,
  untilGauge,
  type Harness,
} from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, patternedBytes, sha256, until } from '../../test/sockets.ts';

const LISTED = '127.0.0.14';
const userId = ({ username, password }: Credentials) => `${username}:${password}`;

describe('SOCKS4', () => {
  let harness: Harness;
  let echoPort: number;

  beforeAll(async () => {
    harness = await startHarness();
    harness.control.sell({ access: { revision: 1, passwordRevision: 1, allowList: [`${LISTED}/32`] } });
    ({ port: echoPort } = await listenLocally((socket) => socket.pipe(socket)));
  });
  afterAll(() => harness.stop());

  /** @returns everything that the gateway sends, after the client has ended its side with `payload` */
  async function exchange(request: Buffer, payload: string | Buffer = '', from?: string) {
    const client = await openClient(harness.gateway.port, from);
    client.socket.end(Buffer.concat([request, Buffer.from(payload)]));
    const { bytes, end } = await client.rest();
    client.socket.destroy();
    return { code: bytes.toString('hex', 0, 2), length: bytes.length, bytes: bytes.subarray(8), end };
  }

  it('relays bytes in both directions and counts them exactly', async () => {
    const connection = harness.control.sell();
    const sent = patternedBytes(1_000_000);
    const { code, bytes, end } = await exchange(socks4Request('127.0.0.1', echoPort, userId(connection)), sent);
    expect(code).toBe('005a');
    expect(end).toBe('ended');
    expect(sha256(bytes)).toBe(sha256(sent));
    await until(() => connection.usedBytes === 2 * sent.length);
  });

  it('resolves names at the exit (4a), and accepts a request that arrives byte by byte', async () => {
    const client = await openClient(harness.gateway.port);
    for (const byte of socks4Request('localhost', echoPort, userId(harness.control.sell()))) {
      client.socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect((await client.take(8)).toString('hex', 0, 2)).toBe('005a');
    client.socket.end('after');
    expect((await client.rest()).bytes.toString()).toBe('after');
  });

  it.each(['', 'alice', 'alice:'])('lets an allow-listed client in with the user id %j', async (id) => {
    const { code, bytes } = await exchange(socks4Request('127.0.0.1', echoPort, id), 'listed', LISTED);
    expect([code, bytes.toString()]).toEqual(['005a', 'listed']);
  });

  it('returns 5D for wrong or missing credentials, and counts wrong ones as failed logins', async () => {
    const guarded = await startHarness({ limits: { loginFailuresPerMinute: 2 } });
    const { username } = guarded.control.sell();
    const codes: string[] = [];
    for (const id of ['', 'alice', `${username}:1`, `${username}:2`, userId(guarded.control.sell())]) {
      const client = await openClient(guarded.gateway.port);
      client.socket.write(socks4Request('127.0.0.1', echoPort, id));
      codes.push((await client.rest()).bytes.toString('hex'));
      client.socket.destroy();
    }
    expect(codes).toEqual(Array.from({ length: 5 }, () => '005d000000000000'));
    const { values } = await guarded.gateway.metrics.refusals.get();
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))).toEqual({
      'invalid-credentials': 4,
      'too-many-failed-logins': 1,
    });
    await guarded.stop();
  });

  it('returns 5B for BIND, a refused port, a prohibited destination and an unknown name', async () => {
    const id = userId(harness.control.sell());
    const requests = [
      socks4Request('127.0.0.1', echoPort, id, 2),
      socks4Request('127.0.0.1', await freePort(), id),
      socks4Request('127.0.0.1', 25, id),
      socks4Request('nobody.invalid', 80, id),
      socks4Request('a b', 80, id),
    ];
    for (const request of requests) {
      const client = await openClient(harness.gateway.port);
      client.socket.write(request);
      expect((await client.rest()).bytes.toString('hex')).toBe('005b000000000000');
      client.socket.destroy();
    }
  });

  it('returns 5B for a user id without an end', async () => {
    const client = await openClient(harness.gateway.port);
    client.socket.write(Buffer.concat([Buffer.from([4, 1, 0, 80, 1, 2, 3, 4]), Buffer.alloc(600, 'u')]));
    expect((await client.rest()).bytes.toString('hex')).toBe('005b000000000000');
    client.socket.destroy();
    await untilGauge(harness.gateway, 'gateway_half_open', 0);
  });
});
