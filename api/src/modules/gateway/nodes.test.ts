import {
  authorize,
  end,
  GATEWAY_CONTRACT_VERSION,
  hello,
  OLDEST_GATEWAY_CONTRACT_VERSION,
  update,
} from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from './gateway.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

const heartbeat = (token: string, runId: string = randomUUID()) =>
  createTestClient({ baseUrl: testApp.url, headers: () => ({ authorization: `Bearer ${token}` }) })(update, {
    body: { runId, usages: [] },
  });

test('each node has its own token and runs', async () => {
  const [one, two] = [await addNode(testApp.ctx, 'berlin'), await addNode(testApp.ctx, 'paris')];
  expect(one).not.toBe(two);
  const runId = randomUUID();
  expect((await heartbeat(one, runId)).data).toEqual([]);
  await expect(heartbeat(two, runId)).rejects.toMatchObject({ status: 403 });
  expect((await heartbeat(two)).data).toEqual([]);
});

test('after a new token the previous one works for 24 hours; earlier ones are refused', async () => {
  const oldest = await addNode(testApp.ctx, 'rome');
  const old = await addNode(testApp.ctx, 'rome');
  const renewed = await addNode(testApp.ctx, 'rome');
  await expect(heartbeat(oldest)).rejects.toMatchObject({ status: 401 });
  expect((await heartbeat(old)).data).toEqual([]);
  const [node] = await testApp.database.query<{ hours: number }>(
    `select extract(epoch from previous_token_until - now())::float8 / 3600 as hours from gateway_nodes where name = 'rome'`,
  );
  expect(node!.hours).toBeCloseTo(24, 1);
  await testApp.database.query(`update gateway_nodes set previous_token_until = now() where name = 'rome'`);
  await expect(heartbeat(old)).rejects.toMatchObject({ status: 401 });
  expect((await heartbeat(renewed)).data).toEqual([]);
});

test('the token is not stored in the database', async () => {
  const token = await addNode(testApp.ctx, 'oslo');
  const rows = await testApp.database.query<{ text: string }>('select gateway_nodes::text as text from gateway_nodes');
  for (const { text } of rows) expect(text).not.toContain(token);
});

test(
  'a start with the same setting changes nothing; with another one the old token works for one more day',
  { tags: ['thorough'] },
  async () => {
    const { gateway } = testApp.ctx.config;
    const changed = await startSecondApp(testApp, { gateway: { ...gateway, token: 'the-next-gateway-token' } });
    await registerNode(testApp.ctx);
    await registerNode(changed.ctx);
    await registerNode(changed.ctx);
    await changed.stop();
    for (const token of [gateway.token, 'the-next-gateway-token']) expect((await heartbeat(token)).data).toEqual([]);
  },
);

const asNode = () =>
  createTestClient({
    baseUrl: testApp.url,
    headers: () => ({ authorization: `Bearer ${testApp.ctx.config.gateway.token}` }),
  });

const status = { softwareVersion: '0.1.0', tunnels: 0, bytesPerSecond: 0 };

test('hello returns the versions and the public URL', async () => {
  const call = asNode();
  for (const contractVersion of [1, OLDEST_GATEWAY_CONTRACT_VERSION, GATEWAY_CONTRACT_VERSION, 99])
    expect((await call(hello, { body: { contractVersion, runId: randomUUID(), status } })).data).toEqual({
      contractVersion: GATEWAY_CONTRACT_VERSION,
      oldestContractVersion: OLDEST_GATEWAY_CONTRACT_VERSION,
      publicUrl: testApp.ctx.config.publicUrl,
      echoUrls: [`${testApp.ctx.config.publicUrl}/v1/echo`],
      refusedUpstreams: [expect.stringMatching(/^tcp:\/\/\S+:\d+$/)],
      purchaseNetworks: [],
      refusedRevision: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
});

test('a node that is newer than the API may send fields that the API does not know', async () => {
  const call = asNode();
  const ids = { runId: randomUUID(), connectionId: randomUUID() };
  const usage = {
    connectionId: ids.connectionId,
    usedBytes: 1,
    uploadedBytes: 0,
    isExitLost: false,
    wantedBytes: 0,
    accessRevision: 0,
  };
  const unknown = { newField: { of: 'the next version' } };
  const usages = [{ ...usage, ...unknown }];
  const { connectionId, runId } = ids;
  const greeted = await call(hello, { body: { contractVersion: 99, runId, status, ...unknown } });
  expect(greeted.data.contractVersion).toBe(GATEWAY_CONTRACT_VERSION);
  const credentials = { runId, username: 'nobody', password: 'wrong' };
  expect((await call(authorize, { body: { ...credentials, ...unknown } })).data).toEqual({ isAuthorized: false });
  const updated = await call(update, { body: { runId, usages, ...unknown } });
  expect(updated.data).toEqual([{ connectionId, grantedBytes: 0, state: 'ended' }]);
  expect((await call(end, { body: { runId, usages, ...unknown } })).data).toEqual({ acknowledged: [connectionId] });
});
