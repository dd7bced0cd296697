import { connect, disconnect } from '@cellhop/contract/connections';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkFailed, checkOk, createCheckingNode, createUncheckedExit } from '../../../test/checking-node.ts';
import { createProxy, createUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createProofReader } from './proof.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const nothing = { priceMicros: undefined, checks: 0, passed: 0, latencyMs: undefined, receipts: 0, refunds: 0 };
const readNow = () => createProofReader(testApp.ctx)();

test('the figures are what has happened in the shop, and are not read again for each visitor', async () => {
  const readKept = createProofReader(testApp.ctx);
  expect(await readKept()).toEqual(nothing);

  const node = await createCheckingNode(testApp);
  const exits = [await createUncheckedExit(testApp, node), await createUncheckedExit(testApp, node)];
  await node.exchange({ checks: [checkOk(exits[0]!.id, { latencyMs: 90 }), checkFailed(exits[1]!.id)] });
  await node.exchange({
    checks: [checkOk(exits[0]!.id, { latencyMs: 70 }), { exitId: exits[1]!.id, outcome: 'inconclusive' }],
  });
  expect(await readNow()).toEqual({ ...nothing, priceMicros: 8000n, checks: 3, passed: 2, latencyMs: 70 });

  const customer = await createUser(testApp, { balanceMicros: 10_000_000n });
  const cheap = await createProxy(testApp, { priceMicros: 300_000n });
  const { data: connection } = await customer.call(connect, { body: { id: cheap, price: 0.3 } });
  // The cheapest one is sold, and still on the price list.
  expect(await readNow()).toMatchObject({ priceMicros: 3000n, receipts: 0, refunds: 0 });
  await customer.call(disconnect, { params: { id: connection.id } });
  expect(await readNow()).toMatchObject({ receipts: 1, refunds: 1 });
  expect(await readKept()).toEqual(nothing);
});

test('what is older than 30 days is not counted', async () => {
  const { checks } = (await readNow())!;
  await testApp.database.query(
    `insert into exit_check_days (day, node_id, checks, passed)
     select (now() at time zone 'UTC')::date - age, id, 100, 98 from (select id from gateway_nodes limit 1) as node, unnest(array[29, 30]) as age`,
  );
  await testApp.database.query(
    "update connections set created_at = created_at - interval '31 days', ended_at = ended_at - interval '31 days'",
  );
  expect(await readNow()).toMatchObject({ checks: checks + 100, receipts: 0, refunds: 0 });
});
