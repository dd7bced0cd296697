/** What checks find out about an exit besides whether its tunnels work. */
import type { ExitCapabilities } from '@cellhop/contract/exit-checks';
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { startHarness } from '../../test/gateway-harness.ts';
import { startNameServer } from '../../test/name-server.ts';
import { startShopEcho } from '../../test/shop-echo.ts';
import { until } from '../../test/sockets.ts';
import { startHttpUpstream } from '../../test/upstream.ts';
import type { GatewaySettings } from '../gateway.ts';
import { parseAuthority } from '../protocol/host.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const local = (address: string | null = null): Exit => ({ kind: 'local-address', id: randomUUID(), address });

/** @param answer undefined: it is silent */
async function startStunServer(answer?: (request: Buffer) => Buffer) {
  const socket: Socket = createSocket('udp4', (request, from) => {
    if (answer) socket.send(answer(request), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  stops.push(() => socket.close());
  return parseAuthority(`127.0.0.1:${socket.address().port}`)!;
}
const bindingAnswer = (request: Buffer) => Buffer.concat([Buffer.from('0101', 'hex'), request.subarray(2)]);
const otherId = (request: Buffer) => Buffer.concat([Buffer.from('010100002112a442', 'hex'), request.subarray(4, 16)]);

/** Patient where an answer is expected; short where silence is. */
async function find(
  exit: Exit,
  settings: Partial<GatewaySettings>,
  { capabilityMs = 60_000, areCapabilitiesDue = true } = {},
): Promise<ExitCapabilities | undefined> {
  const echo = await startShopEcho();
  stops.push(echo.stop);
  const limits = {
    exitChecksPollMs: 10,
    exitChecksBusyPollMs: 5,
    exitChecksRetryMs: 11,
    capabilityMs,
    stunRepeatMs: 20,
  };
  const harness = await startHarness({ ...settings, limits });
  stops.push(() => harness.stop());
  const { control } = harness;
  control.helloResponse = { ...control.helloResponse, publicUrl: 'http://shop.test', echoUrls: [echo.url] };
  control.capabilityIds = areCapabilitiesDue ? [exit.id] : [];
  control.dueExits.push(exit);
  await until(() => control.exitChecks.length > 0);
  expect(control.exitChecks[0]).toMatchObject({ outcome: 'ok' });
  return control.exitChecks[0]!.capabilities;
}

async function openNameServer() {
  const nameServer = await startNameServer({ 'whoami.example': ['203.0.113.53'] });
  stops.push(() => nameServer.stop());
  return [nameServer.address];
}

describe('the test of what an exit carries', () => {
  it('finds that datagrams come back, that DNS works, and who asks for names', async () => {
    const [stunServer, nameServers] = [await startStunServer(bindingAnswer), await openNameServer()];
    const found = await find(local('127.0.0.1'), { stunServer, nameServers, whoamiName: 'whoami.example' });
    expect(found).toEqual({ udp: true, ipv6: false, dns: true, resolver: '203.0.113.53' });
  });

  it('finds that an upstream carries no datagrams and reaches no name server, which the node does', async () => {
    const upstream = await startHttpUpstream();
    stops.push(upstream.stop);
    const [stunServer, nameServers] = [await startStunServer(bindingAnswer), await openNameServer()];
    const exit: Exit = { kind: 'http', id: randomUUID(), host: '127.0.0.1', port: upstream.port };
    expect(await find(exit, { stunServer, nameServers })).toEqual({ udp: false, dns: false });
  });

  it.each([
    ['is silent', undefined],
    ['answers somebody else', otherId],
  ])('says nothing about UDP where the server %s, as it is to the node itself', async (_, answer) => {
    const [stunServer, nameServers] = [await startStunServer(answer), await openNameServer()];
    expect(await find(local(), { stunServer, nameServers }, { capabilityMs: 200 })).toEqual({ dns: true });
  });

  it('is left out where the control plane does not order it, as one of 0.4.0', async () => {
    const settings = { nameServers: await openNameServer() };
    expect(await find(local(), settings, { areCapabilitiesDue: false })).toBeUndefined();
  });

  it('tests no UDP without a server, and shows no name server without a name', async () => {
    expect(await find(local(), { nameServers: await openNameServer() })).toEqual({ dns: true });
  });
});
