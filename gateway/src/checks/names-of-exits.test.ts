/** Where names behind another proxy are resolved follows from the checks of its exit, and does not decide about them. */
import type { Exit } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { socks5Connect } from '../../test/gateway-harness.ts';
import { startShopEcho } from '../../test/shop-echo.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { resolving, startNode } from '../../test/udp-harness.ts';
import { startSocks5Upstream } from '../../test/upstream.ts';
import { startResolver } from '../../test/dns-resolver.ts';
import { address, answerTo, read, TYPE } from '../../test/dns-messages.ts';

const ECHO_NAME = 'echo.test';
const WHOAMI = 'whoami.test';
const FAST = { exitChecksPollMs: 10, exitChecksBusyPollMs: 5, exitChecksRetryMs: 11 };

/** A node whose name server answers over UDP, and another one that is seen through the proxy, while it `serves`. */
async function start() {
  const nodes = await resolving((name) => (name === WHOAMI ? ['203.0.113.1'] : ['127.0.0.1']));
  const through = await startResolver(({ message, name, respond }) => {
    const text = name === WHOAMI ? '203.0.113.53' : '127.0.0.1';
    respond(answerTo(message, read(message).type === TYPE.A ? [address(text)] : []));
  });
  onTestFinished(() => through.stop());
  let servesDns = true;
  const upstream = await startSocks5Upstream({
    route: (authority) => {
      const [host = '', port] = authority.split(':');
      if (authority !== nodes.address) return { host, port: Number(port) };
      return servesDns ? { host, port: Number(through.address.split(':')[1]) } : undefined;
    },
  });
  onTestFinished(upstream.stop);
  const echo = await startShopEcho();
  onTestFinished(echo.stop);
  const node = await startNode({ nameServers: [nodes.address], whoamiName: WHOAMI, limits: FAST });
  const { control, gateway } = node;
  const echoUrl = echo.url.replace('localhost', ECHO_NAME);
  control.helloResponse = { ...control.helloResponse, publicUrl: 'http://shop.test', echoUrls: [echoUrl] };
  const { server, port } = await listenLocally((socket) => socket.resume());
  onTestFinished(() => void server.close());
  const exit: Exit = { kind: 'socks5', id: randomUUID(), host: '127.0.0.1', port: upstream.port, names: 'exit' };
  control.capabilityIds = [exit.id];
  const connection = control.sell({ exit });
  const check = async (names: 'exit' | 'node') => {
    control.exitChecks.length = 0;
    control.dueExits.push({ ...exit, names });
    await until(() => control.exitChecks.length > 0);
    return control.exitChecks[0]!;
  };
  const replyTo = async (host: string) => {
    const { client, reply } = await socks5Connect(gateway, connection, host, port);
    client.socket.destroy();
    return reply;
  };
  const stopDns = () => {
    servesDns = false;
    for (const socket of upstream.sockets) socket.destroy();
  };
  const askedOfNode = (name: string) => nodes.queries.includes(name);
  const askedThrough = (name: string) => through.asked.some((asked) => asked.name === name);
  return { control, stopDns, check, replyTo, askedOfNode, askedThrough };
}

it('an exit shows the name server that customers have, and its check does not depend on it', async () => {
  const { check, askedThrough } = await start();
  expect(await check('exit')).toMatchObject({
    outcome: 'ok',
    capabilities: { dns: true, resolver: '203.0.113.53' },
  });
  expect(askedThrough(ECHO_NAME)).toBe(false);
});

it('an exit through which DNS does not work is no dead one: from its check on the node resolves names', async () => {
  const { stopDns, check, replyTo, askedOfNode, askedThrough } = await start();
  expect(await replyTo('before.test')).toBe(0);
  expect([askedOfNode('before.test'), askedThrough('before.test')]).toEqual([false, true]);
  stopDns();
  expect(await check('exit')).toMatchObject({ outcome: 'ok', capabilities: { dns: false } });
  // The same connection, whose exit is open.
  expect(await replyTo('after.test')).toBe(0);
  expect([askedOfNode('after.test'), askedThrough('after.test')]).toEqual([true, false]);
});

it('an open exit follows the control plane: by the node, and through itself again when DNS works', async () => {
  const { check, replyTo, askedOfNode, askedThrough, control } = await start();
  expect(await replyTo('before.test')).toBe(0);
  expect(await check('node')).toMatchObject({ capabilities: { dns: true, resolver: '203.0.113.1' } });
  expect(await replyTo('during.test')).toBe(0);
  expect([askedOfNode('during.test'), askedThrough('during.test')]).toEqual([true, false]);
  await check('exit');
  expect(await replyTo('again.test')).toBe(0);
  expect([askedOfNode('again.test'), askedThrough('again.test')]).toEqual([false, true]);
  expect(control.calls.authorize).toBe(1);
});

it('names that are not resolved any more make the exit suspect, so that it is checked at once', async () => {
  const { control, stopDns, replyTo } = await start();
  stopDns();
  for (const name of ['one.test', 'two.example', 'three.example.org']) expect(await replyTo(name)).not.toBe(0);
  await until(() => control.suspectIds.length === 1);
});
