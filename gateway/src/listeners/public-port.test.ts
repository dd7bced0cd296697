import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openClient, socks5Greeting, socks5Login, startHarness } from '../../test/gateway-harness.ts';

describe('no refusal is a silent close:', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.stop());

  async function reply(...pieces: (string | Buffer)[]): Promise<Buffer> {
    const client = await openClient(harness.gateway.port);
    for (const piece of pieces) client.socket.write(piece);
    const { bytes, end } = await client.rest();
    expect(end).toBe('ended');
    client.socket.destroy();
    return bytes;
  }

  it.each(['\u0000', '\u0006', 'get http://a.test/ HTTP/1.1\r\n\r\n', '\u0080\u002e\u0001', '\r\n\u0005\u0001\u0002'])(
    'bytes of an unknown protocol get 400: %j',
    async (text) => {
      expect((await reply(Buffer.from(text, 'latin1'))).toString()).toMatch(
        /^HTTP\/1.1 400 Bad Request\r\n[^]*Connection: close\r\n/,
      );
    },
  );

  it('a SOCKS5 login of another version gets status 1', async () => {
    expect((await reply(socks5Greeting, Buffer.from([5, 1, 0]))).toString('hex')).toBe('05020101');
  });

  it.each([
    ['of another version', [4, 1, 0, 1]],
    ['with an empty name', [5, 1, 0, 3, 0]],
  ])('a SOCKS5 request %s gets reply 1', async (_name, request) => {
    const bytes = await reply(socks5Greeting, socks5Login(harness.control.sell()), Buffer.from(request));
    expect(bytes.toString('hex')).toBe('0502010005010001000000000000');
  });

  it('too many failed logins get status 1 over SOCKS5', async () => {
    const guarded = await startHarness({ limits: { loginFailuresPerMinute: 1 } });
    const { username } = guarded.control.sell();
    for (const password of ['wrong', 'another']) {
      const client = await openClient(guarded.gateway.port);
      client.socket.write(Buffer.concat([socks5Greeting, socks5Login({ username, password })]));
      expect((await client.rest()).bytes.toString('hex')).toBe('05020101');
      client.socket.destroy();
    }
    await guarded.stop();
  });

  it('a client that speaks TLS gets a fatal alert, and is counted', async () => {
    const before = await tlsClients();
    expect((await reply(Buffer.from('160301', 'hex'))).toString('hex')).toBe('15030300020246');
    const client = connect({ host: '127.0.0.1', port: harness.gateway.port, rejectUnauthorized: false });
    const [error] = (await once(client, 'error')) as [Error];
    expect(error.message).toContain('alert protocol version');
    expect(await tlsClients()).toBe(before + 2);
  });

  async function tlsClients(): Promise<number> {
    const { values } = await harness.gateway.metrics.refusals.get();
    return values.find(({ labels }) => labels.reason === 'tls-unsupported')?.value ?? 0;
  }
});

describe('a client that says it has a password and sends an empty one', () => {
  const LISTED = '127.0.0.15';
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
    harness.control.sell({ access: { revision: 1, passwordRevision: 1, allowList: [`${LISTED}/32`] } });
  });
  afterAll(() => harness.stop());

  // Java sends the name of the operating system's user and no password; other programs send two empty texts.
  const logins = [
    ['alice', ''],
    ['', ''],
  ] as const;

  it.each(logins)(
    'is let in over SOCKS5 from a listed address, and gets status 1 from another: %j',
    async (...pair) => {
      const [username, password] = pair;
      for (const [from, status] of [
        [LISTED, '05020100'],
        ['127.0.0.16', '05020101'],
      ] as const) {
        const client = await openClient(harness.gateway.port, from);
        client.socket.write(Buffer.concat([socks5Greeting, socks5Login({ username, password })]));
        expect((await client.take(4)).toString('hex')).toBe(status);
        client.socket.destroy();
      }
    },
  );

  it.each(logins)('is let in over HTTP from a listed address, and gets 407 from another: %j', async (...pair) => {
    const authorization = `Basic ${Buffer.from(pair.join(':')).toString('base64')}`;
    for (const [from, status] of [
      [LISTED, 502],
      ['127.0.0.16', 407],
    ] as const) {
      for (const line of ['CONNECT nobody.invalid:443', 'GET http://nobody.invalid/']) {
        const client = await openClient(harness.gateway.port, from);
        client.socket.write(`${line} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
        expect(await client.takeUntil('\r\n')).toContain(` ${status} `);
        client.socket.destroy();
      }
    }
  });

  it('is refused without a call if only its username is empty', async () => {
    const { authorize } = harness.control.calls;
    const client = await openClient(harness.gateway.port, LISTED);
    client.socket.write(Buffer.concat([socks5Greeting, socks5Login({ username: '', password: 'secret' })]));
    expect((await client.take(4)).toString('hex')).toBe('05020101');
    client.socket.destroy();
    expect(harness.control.calls.authorize).toBe(authorize);
  });
});
