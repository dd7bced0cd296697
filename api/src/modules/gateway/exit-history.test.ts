/**
 * What staff see of the checks of exits over days, and what they are told when many fail at once.
 * @module-tag thorough
 */
import { listExitDays } from '@cellhop/contract/staff/exit-checks';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type CheckingNode,
  checkFailed,
  checkOk,
  createCheckingNode,
  createUncheckedExit,
} from '../../../test/checking-node.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { mailsTo, startTestAppWithMail } from '../../../test/mail.ts';
import type { TestApp } from '../../../test/test-app.ts';
import { deleteOldDays, watchFailing } from './exit-history.service.ts';

let testApp: TestApp;
let admin: TestUser;
let node: CheckingNode;
beforeAll(async () => {
  testApp = await startTestAppWithMail();
});
beforeEach(async () => {
  await testApp.reset();
  admin = await createUser(testApp, { roleName: 'ADMIN' });
  node = await createCheckingNode(testApp);
});
afterAll(() => testApp.stop());

const days = async (id: string) => (await admin.call(listExitDays, { params: { id } })).data;
const failingNodes = async () => {
  await watchFailing(testApp.ctx);
  return (await admin.call(getAttention, {})).data.failingNodes;
};
const countMails = async () => (await mailsTo(testApp, admin.email)).length;
const letDaysPass = (count: number) => testApp.database.query('update exit_history set day = day - $1::int', [count]);

describe('the checks of an exit by day', () => {
  test('are counted with failures, outages, the mean latency and the last failure', async () => {
    const exit = await createUncheckedExit(testApp, node);
    expect(await days(exit.id)).toEqual([]);
    await node.exchange({ checks: [checkOk(exit.id, { latencyMs: 100, bytesPerSecond: 5_000_000 })] });
    await node.exchange({ checks: [checkOk(exit.id, { latencyMs: 200, bytesPerSecond: 3_000_000_000 })] });
    await node.exchange({ checks: [checkFailed(exit.id, 'dial-timeout')] });
    expect(await days(exit.id)).toMatchObject([{ checks: 3, failed: 1, outages: 0, latencyMs: 150 }]);
    await node.exchange({ checks: [checkFailed(exit.id)] });
    await node.exchange({ checks: [checkFailed(exit.id)] });
    // Gives no verdict.
    await node.exchange({ checks: [{ exitId: exit.id, outcome: 'inconclusive', reason: 'echo-unreachable' }] });
    expect(await days(exit.id)).toEqual([
      {
        day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        checks: 5,
        failed: 3,
        outages: 1,
        latencyMs: 150,
        bytesPerSecond: 3_000_000_000,
        lastFailure: { at: expect.any(String), reason: 'upstream-refused:403' },
      },
    ]);
  });

  test('are listed and kept for 30 days, whatever the exit does', async () => {
    const exit = await createUncheckedExit(testApp, node);
    for (const daysLater of [1, 29]) {
      await node.exchange({ checks: [checkFailed(exit.id)] });
      await node.exchange({ checks: [checkOk(exit.id)] });
      await letDaysPass(daysLater);
    }
    expect(await days(exit.id)).toMatchObject([{ checks: 2, failed: 1, bytesPerSecond: null }]);
    await deleteOldDays(testApp.ctx);
    expect(await testApp.database.query('select day from exit_history')).toHaveLength(1);
  });

  test('are for those who may see the inventory', async () => {
    const exit = await createUncheckedExit(testApp, node);
    const support = await createUser(testApp, { roleName: 'FINANCE' });
    await expect(support.call(listExitDays, { params: { id: exit.id } })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('when a tenth of the exits of a gateway fail', () => {
  test('staff are told once, until fewer than a twentieth do, and again the next time', async () => {
    const exits: { id: string }[] = [];
    while (exits.length < 20) exits.push(await createUncheckedExit(testApp, node));
    const [first, second] = exits;
    const report = async (failing: readonly ({ id: string } | undefined)[]) => {
      const checks = exits.map(({ id }) => (failing.some((exit) => exit?.id === id) ? checkFailed(id) : checkOk(id)));
      for (let time = 0; time < 2; time += 1) await node.exchange({ checks });
    };
    await report([]);
    await report([first]);
    expect(await failingNodes()).toEqual([]);
    await report([first, second]);
    expect(await failingNodes()).toEqual([node.name]);
    expect(await failingNodes()).toEqual([node.name]);
    expect(await countMails()).toBe(1);
    // One of twenty is no end yet.
    await report([first]);
    expect(await failingNodes()).toEqual([node.name]);
    await report([first, second]);
    expect(await failingNodes()).toEqual([node.name]);
    expect(await countMails()).toBe(1);
    await report([]);
    expect(await failingNodes()).toEqual([]);
    await report([first, second]);
    expect(await failingNodes()).toEqual([node.name]);
    expect(await countMails()).toBe(2);
  });

  test('retired ones and those that never worked do not count', async () => {
    const [works, retired, never] = [
      await createUncheckedExit(testApp, node),
      await createUncheckedExit(testApp, node),
      await createUncheckedExit(testApp, node),
    ];
    await node.exchange({ checks: [checkOk(works.id), checkOk(retired.id)] });
    for (let time = 0; time < 2; time += 1)
      await node.exchange({ checks: [checkOk(works.id), checkFailed(retired.id), checkFailed(never.id)] });
    expect(await failingNodes()).toEqual([node.name]);
    await testApp.database.query('update proxies set retired_at = now() where id = $1', [retired.proxyId]);
    expect(await failingNodes()).toEqual([]);
  });
});
