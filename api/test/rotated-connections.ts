import { connect, listConnections } from '@cellhop/contract/connections';
import type { RotationReport } from '@cellhop/contract/exit-checks';
import { rotateConnection } from '@cellhop/contract/rotation';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import { checkOk, createCheckingNode, createUncheckedExit } from './checking-node.ts';
import { createUser, type TestUser } from './factories.ts';
import type { TestApp } from './test-app.ts';

export const FARM_TOKEN = 'token-of-the-farm';
export const FARM_URL = `https://farm.test/rotate?key=${FARM_TOKEN}`;

/** A connection of the customer whose exit has a link, on a node of its own. */
export async function createRotatedConnection(testApp: TestApp, customer: TestUser, limits: object = {}) {
  const node = await createCheckingNode(testApp);
  await node.greet();
  const exit = await createUncheckedExit(testApp, node);
  const link = { method: 'GET', url: FARM_URL } as const;
  const setting = { link, cooldownSeconds: null, changesPerHour: null, ...limits };
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  await admin.call(changeExitRotation, { params: { id: exit.id }, body: setting });
  const seen = (address: string, details: object = {}) =>
    checkOk(exit.id, { address, ...(address.startsWith('127.') ? {} : { seenAddress: address }), ...details });
  await node.exchange({ checks: [seen('198.51.100.1')] });
  const { data: bought } = await customer.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
  const { id } = bought;
  const find = async () => (await customer.call(listConnections, { query: { id } })).data[0]!;
  const rotate = async () => (await customer.call(rotateConnection, { params: { id } })).data;
  const takeOrders = async () => (await node.exchange({ rotationsWanted: 8 })).rotations!;
  const report = (rotation: RotationReport) => node.exchange({ rotations: [rotation], rotationsWanted: 8 });
  /** The gateway has called the link. */
  const call = async (address?: string) => {
    const [order] = await takeOrders();
    await report({ id: order!.id, outcome: 'called', ...(address !== undefined && { address }) });
    return order!;
  };
  const see = (address: string, details?: object) => node.exchange({ checks: [seen(address, details)] });
  const pass = async (seconds: number) => {
    await testApp.database.query(
      `update exit_checks set succeeded_at = succeeded_at - $2 * interval '1 second' where exit_id = $1`,
      [exit.id, seconds],
    );
    await testApp.database.query(
      `update exit_changes set ordered_at = ordered_at - $2 * interval '1 second', taken_at = taken_at - $2 * interval '1 second',
              called_at = called_at - $2 * interval '1 second', finished_at = finished_at - $2 * interval '1 second' where exit_id = $1`,
      [exit.id, seconds],
    );
  };
  const lastReason = async () =>
    (
      await testApp.database.query<{ reason: string | null }>(
        'select reason from exit_changes where exit_id = $1 order by ordered_at desc limit 1',
        [exit.id],
      )
    )[0]?.reason;
  return { node, exit, bought, id, find, rotate, takeOrders, report, call, see, pass, lastReason };
}
