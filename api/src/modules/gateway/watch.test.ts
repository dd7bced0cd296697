import { connect, disconnect } from '@cellhop/contract/connections';
import { watch } from '@cellhop/contract/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { createGatewayRun, untilTold } from '../../../test/gateway-client.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { addNode, registerNode } from './gateway.service.ts';
import { createTestClient } from '../../../test/test-client.ts';

describe('watch', () => {
  let testApp: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
    await registerNode(testApp.ctx);
    other = await startSecondApp(testApp);
  });
  afterAll(async () => {
    await other.stop();
    await testApp.stop();
  });

  type Run = ReturnType<typeof createGatewayRun>;
  const watchBy = async ({ call, runId }: Run) => (await call(watch, { body: { runId } })).data.ended;

  /** A connection that is open in a run, and a function with which its user ends it. */
  async function open() {
    const user = await createUser(testApp, { balanceMicros: 1_000_000n });
    const body = { id: await createProxy(testApp), price: 0.8 };
    const { data: connection } = await untilTold(testApp, () => user.call(connect, { body }));
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 1);
    const headers = () => ({ authorization: `Bearer ${user.token}` });
    const end = (app: TestApp) => createTestClient({ baseUrl: app.url, headers })(disconnect, { params: connection });
    return { connection, run, end };
  }

  const longPollCount = async () => {
    const text = await (await fetch(`${testApp.url}/metrics`)).text();
    return Number(/^gateway_calls_held (\d+)$/m.exec(text)?.[1]);
  };

  test.each(['this', 'another'])('responds when the end is requested in %s API process', async (which) => {
    const [{ connection, run, end }, bystander] = [await open(), await open()];
    const [notified, replaced] = [watchBy(run), watchBy(bystander.run)];
    await expect.poll(longPollCount).toBe(2);
    const askedAt = performance.now();
    const ended = end(which === 'this' ? testApp : other);
    expect(await notified).toEqual([connection.id]);
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    await run.end(connection.id, 1);
    await ended;
    expect(await longPollCount()).toBe(1);
    const again = watchBy(bystander.run); // A second call of the same run: the first one gets an empty response.
    expect(await replaced).toEqual([]);
    const endedToo = bystander.end(testApp);
    expect(await again).toEqual([bystander.connection.id]);
    await bystander.run.end(bystander.connection.id, 1);
    await endedToo;
  });

  test('responds at once when the end was requested before', async () => {
    const { connection, run, end } = await open();
    const notified = watchBy(run);
    const ended = end(testApp);
    await notified;
    expect(await watchBy(run)).toEqual([connection.id]);
    await run.end(connection.id, 1);
    await ended;
  });

  test(
    'responds at once for a run that has not reported, and refuses a run of another node',
    { tags: ['thorough'] },
    async () => {
      const run = createGatewayRun(testApp);
      expect(await watchBy(run)).toEqual([]);
      const { run: reporting, connection } = await open();
      const call = createGatewayRun(testApp, await addNode(testApp.ctx, 'elsewhere')).call;
      await expect(call(watch, { body: { runId: reporting.runId } })).rejects.toMatchObject({ status: 403 });
      await reporting.end(connection.id, 1);
    },
  );

  test('does not delay the shutdown of the API', async () => {
    const stopping = await startSecondApp(testApp);
    const { run, connection } = await open();
    const headers = () => ({ authorization: `Bearer ${testApp.ctx.config.gateway.token}` });
    const client = createTestClient({ baseUrl: stopping.url, headers });
    const held = client(watch, { body: { runId: run.runId } });
    const metrics = async () => (await fetch(`${stopping.url}/metrics`)).text();
    await expect.poll(metrics).toContain('gateway_calls_held 1');
    await stopping.stop();
    expect((await held).data.ended).toEqual([]);
    await run.end(connection.id, 1);
  });
});
