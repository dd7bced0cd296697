/** Connections whose traffic is billed as a gateway reports it. */
import { connect, disconnect, type Connection, type EndReason } from '@cellhop/contract/connections';
import { endAnyConnection } from '@cellhop/contract/staff/connections';
import { megabytesToBytes, prepaidPrice, toDollars } from '@cellhop/contract/units';
import { setCap } from '../src/modules/billing/cap.service.ts';
import { endIdleConnections } from '../src/modules/billing/end-idle-connections.service.ts';
import { createProxy, createUser, type TestUser } from './factories.ts';
import type { createGatewayRun } from './gateway-client.ts';
import type { TestApp } from './test-app.ts';

export const MB = Number(megabytesToBytes(1n));
export const PRICE = 800_000n;
export const PREPAID = prepaidPrice(PRICE);

type GatewayRun = ReturnType<typeof createGatewayRun>;

export async function buy(testApp: TestApp, user: TestUser): Promise<Connection> {
  const id = await createProxy(testApp, { priceMicros: PRICE });
  return (await user.call(connect, { body: { id, price: toDollars(PRICE) } })).data;
}

/** Uses traffic as a gateway does: up to the grant, then requests more. */
export async function use(run: GatewayRun, { id }: Connection, bytes: bigint): Promise<void> {
  const usedBytes = Number(bytes);
  let granted = 50 * MB;
  while (granted < usedBytes) granted = (await run.report(id, granted, usedBytes - granted)).grantedBytes;
  await run.report(id, usedBytes);
}

/** Ends a connection for a reason, after the last report of its gateway. */
export async function end(
  testApp: TestApp,
  user: TestUser,
  { id }: Connection,
  run: GatewayRun,
  reason: EndReason,
  bytes: bigint,
): Promise<void> {
  const usedBytes = Number(bytes);
  switch (reason) {
    case 'USER':
      await run.end(id, usedBytes);
      await user.call(disconnect, { params: { id } });
      break;
    case 'ADMIN': {
      await run.end(id, usedBytes);
      const admin = await createUser(testApp, { roleName: 'ADMIN' });
      await admin.call(endAnyConnection, { params: { id }, body: {} });
      break;
    }
    case 'EXIT_LOST':
      await run.report(id, usedBytes, 0, { isExitLost: true });
      await run.end(id, usedBytes);
      break;
    case 'CAP':
      await setCap(testApp.ctx, id, bytes / BigInt(MB));
      await run.report(id, usedBytes);
      await run.end(id, usedBytes);
      break;
    case 'IDLE':
      await run.end(id, usedBytes);
      await endIdleConnections(testApp.ctx);
      break;
    case 'NO_MONEY':
      throw new Error('money ends by itself');
  }
}
