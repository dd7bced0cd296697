import { createClient } from '@cellhop/contract/client';
import { connect, disconnect } from '@cellhop/contract/connections';
import { watch } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { HeldCalls, type News } from './held-calls.ts';
import { addNode, registerNode } from './gateways.service.ts';

describe('a call that waits for ends', () => {
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

  /** A connection that a run has open, and how its user ends it. */
  async function open() {
    const user = await createUser(testApp, { balanceMicros: 1_000_000n });
    const connection = (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 1);
    const headers = () => ({ authorization: `Bearer ${user.token}` });
    const end = (app: TestApp) => createClient({ baseUrl: app.url, headers })(disconnect, { params: connection });
    return { connection, run, end };
  }

  const heldCalls = async () => {
    const text = await (await fetch(`${testApp.url}/metrics`)).text();
    return Number(/^gateway_calls_held (\d+)$/m.exec(text)?.[1]);
  };

  test.each(['this', 'another'])('is answered when the end is asked for in %s process of the API', async (which) => {
    const [{ connection, run, end }, bystander] = [await open(), await open()];
    const [told, silence] = [watchBy(run), watchBy(bystander.run)];
    await expect.poll(heldCalls).toBe(2);
    const askedAt = performance.now();
    const ended = end(which === 'this' ? testApp : other);
    expect(await told).toEqual([connection.id]);
    expect(performance.now() - askedAt).toBeLessThan(1_000);
    await run.end(connection.id, 1);
    await ended;
    expect(await heldCalls()).toBe(1);
    const again = watchBy(bystander.run); // The same run again: the first call is answered.
    expect(await silence).toEqual([]);
    const endedToo = bystander.end(testApp);
    expect(await again).toEqual([bystander.connection.id]);
    await bystander.run.end(bystander.connection.id, 1);
    await endedToo;
  });

  test('is answered at once when an end was asked for before', async () => {
    const { connection, run, end } = await open();
    const told = watchBy(run);
    const ended = end(testApp);
    await told;
    expect(await watchBy(run)).toEqual([connection.id]);
    await run.end(connection.id, 1);
    await ended;
  });

  test('is not held for a run that has not reported, and is refused for one of another node', async () => {
    const run = createGatewayRun(testApp);
    expect(await watchBy(run)).toEqual([]);
    const { run: reporting, connection } = await open();
    const call = createGatewayRun(testApp, await addNode(testApp.ctx, 'elsewhere')).call;
    await expect(call(watch, { body: { runId: reporting.runId } })).rejects.toMatchObject({ status: 403 });
    await reporting.end(connection.id, 1);
  });

  test('does not hold up an API process that stops', async () => {
    const stopping = await startSecondApp(testApp);
    const { run, connection } = await open();
    const headers = () => ({ authorization: `Bearer ${testApp.ctx.config.gateway.token}` });
    const client = createClient({ baseUrl: stopping.url, headers });
    const held = client(watch, { body: { runId: run.runId } });
    const metrics = async () => (await fetch(`${stopping.url}/metrics`)).text();
    await expect.poll(metrics).toContain('gateway_calls_held 1');
    await stopping.stop();
    expect((await held).data.ended).toEqual([]);
    await run.end(connection.id, 1);
  });
});

function holder() {
  const calls = new HeldCalls();
  const answers: string[] = [];
  const hold = (name: string, nodeId: string) => {
    const note = ({ ended = new Map<string, string>() }: News) => answers.push(`${name}: ${[...ended].flat().join()}`);
    void calls.hold(name, nodeId).then(note);
  };
  return { calls, answers, hold };
}

describe('held calls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('end when their time is over', async () => {
    const { calls, answers, hold } = holder();
    hold('run', 'node');
    await vi.advanceTimersByTimeAsync(24_999);
    expect([calls.size, answers]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect([calls.size, answers, vi.getTimerCount()]).toEqual([0, ['run: '], 0]);
  });

  test('are four of a node at most, and one of a run: the oldest are answered', async () => {
    const { calls, answers, hold } = holder();
    for (const run of ['one', 'two', 'two', 'three', 'four', 'five']) hold(run, 'node');
    hold('six', 'another node');
    await Promise.resolve();
    expect([calls.size, answers]).toEqual([5, ['two: ', 'one: ']]);
  });

  test('are two thousand at most; one more is answered at once', async () => {
    const { calls, answers, hold } = holder();
    for (let count = 0; count < 2_000; count += 1) hold(randomUUID(), randomUUID());
    hold('one more', 'node');
    await Promise.resolve();
    expect([calls.size, answers]).toEqual([2_000, ['one more: ']]);
  });

  test('are answered with what was told a moment after the one before, and no later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { calls, answers, hold } = holder();
    hold('run', 'node');
    calls.tell('run', { ended: new Map([['one', 'USER']]) });
    await vi.advanceTimersByTimeAsync(900);
    calls.tell('run', { ended: new Map([['two', 'IDLE']]) });
    calls.tell('run', { ended: new Map([['three', 'CAP']]), areAllowListsChanged: true });
    expect(calls.runIds).toEqual(['run']);
    hold('run', 'node');
    await Promise.resolve();
    expect([calls.size, answers]).toEqual([0, ['run: one,USER', 'run: two,IDLE,three,CAP']]);
    hold('run', 'node');
    await vi.advanceTimersByTimeAsync(25_000);
    await vi.advanceTimersByTimeAsync(1_000);
    calls.tell('run', { ended: new Map([['late', 'USER']]) });
    expect(calls.runIds).toEqual([]);
    hold('run', 'node');
    expect(calls.size).toBe(1);
  });

  test('are none once the process stops', async () => {
    const { calls, answers, hold } = holder();
    hold('run', 'node');
    calls.close();
    hold('late', 'node');
    await Promise.resolve();
    expect([calls.size, answers]).toEqual([0, ['run: ', 'late: ']]);
  });
});
