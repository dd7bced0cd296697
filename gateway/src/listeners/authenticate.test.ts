import { afterEach, describe, expect, it } from 'vitest';
import { basic, type Harness, openClient, socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import type { FakeConnection } from '../../test/control-plane.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { authenticate } from './authenticate.ts';
import type { ListenerContext } from './listener-context.ts';
import { LoginGuard } from './login-guard.ts';
import { WrongCredentials } from './wrong-credentials.ts';

const stops: (() => Promise<void>)[] = [];

async function start(limits: Partial<Limits>): Promise<Harness & { port: number }> {
  const harness = await startHarness({ limits });
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  stops.push(async () => {
    await harness.stop();
    server.close();
  });
  return { ...harness, port };
}

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function connectStatus(
  { gateway, port }: Harness & { port: number },
  connection: Pick<FakeConnection, 'username' | 'password'>,
  localAddress?: string,
) {
  const client = await openClient(gateway.port, localAddress);
  client.socket.write(
    `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`,
  );
  const head = await client.takeUntil('\r\n\r\n');
  client.socket.destroy();
  return head.slice(9, 12);
}

describe('authentication', () => {
  it('accepts known credentials from an address that is blocked after failed logins', async () => {
    const harness = await start({ loginFailuresPerMinute: 3 });
    const [known, unknown] = [harness.control.sell(), harness.control.sell()];
    expect(await connectStatus(harness, known)).toBe('200');
    const statuses = [];
    for (const password of ['one', 'two', 'three', 'four'])
      statuses.push(await connectStatus(harness, { ...known, password }));
    expect(statuses).toEqual(['407', '407', '407', '429']);
    expect(await connectStatus(harness, known)).toBe('200');
    const { client, reply } = await socks5Connect(harness.gateway, known, '127.0.0.1', harness.port);
    expect(reply).toBe(0);
    client.socket.destroy();
    expect(await connectStatus(harness, unknown)).toBe('429');
    expect(await connectStatus(harness, unknown, '127.0.0.2')).toBe('200');
  });

  it('keeps new purchases open for the address of a client that repeats a wrong pair, which costs one call', async () => {
    const harness = await start({});
    const [known, bought] = [harness.control.sell(), harness.control.sell()];
    const wrong = { ...known, password: 'mistyped' };
    // Five requests, each repeated three times.
    const statuses = await Promise.all(Array.from({ length: 5 }, () => connectStatus(harness, wrong)));
    for (let count = 0; count < 15; count += 1) statuses.push(await connectStatus(harness, wrong));
    expect(new Set(statuses)).toEqual(new Set(['407']));
    expect(harness.control.calls.authorize).toBe(1);
    expect(await connectStatus(harness, bought)).toBe('200');
    expect(await harness.gateway.metrics.registry.metrics()).toContain('gateway_wrong_credentials 1');
  });

  it('asks the control plane again a minute after the first refusal of a pair', async () => {
    const harness = await start({ wrongCredentialsMs: 1, refusalCacheMs: 1 });
    const wrong = { ...harness.control.sell(), password: 'mistyped' };
    await connectStatus(harness, wrong);
    while (harness.control.calls.authorize < 2) expect(await connectStatus(harness, wrong)).toBe('407');
  });

  it('never counts the credentials of ended connections as failed logins', async () => {
    const harness = await start({ loginFailuresPerMinute: 3, credentialsCacheMs: 0, refusalCacheMs: 1 });
    const [ended, open] = [harness.control.sell(), harness.control.sell()];
    harness.control.announceEnd(ended, 'NO_MONEY');
    for (let count = 0; count < 10; count += 1) expect(await connectStatus(harness, ended)).toBe('402');
    expect(await connectStatus(harness, open)).toBe('200');
  });

  it.each(['the old password is used again', 'the new one is used'])(
    'closes the tunnels after a password change when %s, and accepts only the new one',
    async (use) => {
      const harness = await start({ credentialsCacheMs: 0, refusalCacheMs: 1 });
      const connection = harness.control.sell();
      const before = { ...connection };
      const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', harness.port);
      Object.assign(connection, { password: 'a-new-password-of-it' });
      const [login, status] = use === 'the new one is used' ? [connection, '200'] : [before, '407'];
      while ((await connectStatus(harness, login)) !== status);
      expect((await client.rest()).end).toBe('reset');
      expect(await connectStatus(harness, before)).toBe('407');
      expect(await connectStatus(harness, connection)).toBe('200');
    },
  );

  it('keeps the tunnels of the new password when the old one is refused later', async () => {
    const harness = await start({ credentialsCacheMs: 0, refusalCacheMs: 1 });
    const connection = harness.control.sell();
    const before = { ...connection };
    expect(await connectStatus(harness, connection)).toBe('200');
    Object.assign(connection, { password: 'a-new-password-of-it' });
    const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', harness.port);
    expect(await connectStatus(harness, before)).toBe('407');
    expect(await connectStatus(harness, connection)).toBe('200');
    client.socket.write('still');
    expect((await client.take(5)).toString()).toBe('still');
    client.socket.destroy();
  });

  it('caches accepted credentials', async () => {
    const harness = await start({});
    const connection = harness.control.sell();
    for (let count = 0; count < 5; count += 1) expect(await connectStatus(harness, connection)).toBe('200');
    expect(harness.control.calls.authorize).toBe(1);
  });

  it('accepts known credentials while the control plane is unavailable', async () => {
    const harness = await start({ credentialsCacheMs: 0, updateRetryMs: 50 });
    const connection = harness.control.sell();
    expect(await connectStatus(harness, connection)).toBe('200');
    harness.control.isUnavailable = true;
    const failed = async () =>
      (await harness.gateway.metrics.controlRequestSeconds.get()).values.some(
        ({ labels }) => labels.outcome === 'failed',
      );
    expect(await connectStatus(harness, connection)).toBe('200');
    while (!(await failed())) await new Promise((fulfil) => setTimeout(fulfil, 5));
    expect(await connectStatus(harness, connection)).toBe('200');
    harness.control.isUnavailable = false;
    await until(() => harness.control.calls.update > 0);
  });
});

describe('the login guard in use', () => {
  it('counts all addresses of a /64 together', async () => {
    const connections = {
      find: () => undefined,
      authorize: () => Promise.reject(new TunnelFailure('invalid-credentials')),
      loginRefused: () => {},
    };
    const loginGuard = new LoginGuard({ ...defaultLimits, loginFailuresPerMinute: 2 });
    const wrongCredentials = new WrongCredentials(defaultLimits);
    const context = {
      connections,
      loginGuard,
      wrongCredentials,
      log: { info: () => {} },
    } as unknown as ListenerContext;
    const causes = [];
    for (const [address, network] of [
      ['2001:db8::1', '2001:db8::/64'],
      ['2001:db8::2', '2001:db8::/64'],
      ['2001:db8::3', '2001:db8::/64'],
      ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ] as const)
      causes.push(
        await Promise.resolve(
          authenticate(
            context,
            { address, network, networks: [network] },
            {
              username: 'a',
              password: address,
            },
          ),
        ).catch(toCause),
      );
    expect(causes).toEqual([
      'invalid-credentials',
      'invalid-credentials',
      'too-many-failed-logins',
      'invalid-credentials',
    ]);
  });
});
