/** The modems of the demo: what their links change is seen by what they connect to. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { searchProxies } from '@cellhop/contract/proxies';
import { createUser, markHealthy } from '../../test/factories.ts';
import { startTestApp } from '../../test/test-app.ts';
import { decryptLink } from '../secrets/rotation-links.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';
import { startDemoFarm } from './demo-farm.ts';
import { seed } from './seed.ts';

/** @returns the address from which a request through the modem came */
async function addressThrough(port: number): Promise<string> {
  const server = createServer((incoming, response) => response.end(incoming.socket.remoteAddress)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connecting = request({ host: '127.0.0.1', port, method: 'CONNECT', path: target, agent: false }).end();
  const [, socket] = (await once(connecting, 'connect')) as [unknown, Socket];
  const asked = request({ createConnection: () => socket, path: '/' }).end();
  const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  socket.destroy();
  server.close();
  return text;
}

test('each proxy of Japan has a modem, which its link gives another address, at each start of the demo', async () => {
  const testApp = await startTestApp();
  onTestFinished(() => testApp.stop());
  await registerNode(testApp.ctx);
  await seed(testApp.ctx);
  await markHealthy(testApp);
  const start = async () => {
    const stop = await startDemoFarm(testApp.ctx);
    const rows = await testApp.database.query<{ parameters: { host: string; port: number }; sealed: Buffer }>(
      `select parameters, link_encrypted as sealed from exit_rotations join exits on exits.id = exit_id order by key`,
    );
    return { stop, modems: rows };
  };
  const first = await start();
  const customer = await createUser(testApp);
  const offered = async (country: string) =>
    (await customer.call(searchProxies, { query: { country: [country] } })).data;
  const japan = await offered('JP');
  expect([japan.length, japan.every(({ rotates }) => rotates)]).toEqual([first.modems.length, true]);
  expect((await offered('DE')).some(({ rotates }) => rotates)).toBe(false);
  await first.stop();

  const { stop, modems } = await start();
  onTestFinished(stop);
  const { parameters, sealed } = modems[0]!;
  const link = decryptLink(testApp.ctx.config.secretKeys, { exitKind: 'http', parameters }, sealed)!;
  expect(await addressThrough(parameters.port)).toBe('127.1.1.1');
  await fetch(link.url);
  expect(await addressThrough(parameters.port)).toBe('127.1.1.2');
  expect(await addressThrough(modems[1]!.parameters.port)).toBe('127.1.2.1');
});
