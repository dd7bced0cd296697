/** Connections on nodes of their own, whose exits are not as sold, and free proxies that may take their place. */
import { connect, listConnections, type Connection } from '@cellhop/contract/connections';
import { listNotifications } from '@cellhop/contract/notifications';
import { replaceConnection } from '@cellhop/contract/replacements';
import type { Ctx } from '../src/ctx.ts';
import { checkFailed, checkOk, createCheckingNode, createUncheckedExit } from './checking-node.ts';
import { createExit, createProxy, createUser, type ProxyOptions, type TestUser } from './factories.ts';
import { createGatewayRun } from './gateway-client.ts';
import type { TestApp } from './test-app.ts';

export const MB = 1_048_576;

/** A customer with a connection, in a country of its own. */
export async function createReplaceable(testApp: TestApp, balanceMicros = 10_000_000n, owner?: TestUser) {
  const node = await createCheckingNode(testApp);
  const exit = await createUncheckedExit(testApp, node);
  await node.exchange({ checks: [checkOk(exit.id)] });
  const user = owner ?? (await createUser(testApp, { balanceMicros }));
  const { data: connection } = await user.call(connect, { body: { id: exit.proxyId, price: 0.8 } });
  const run = createGatewayRun(testApp, node.token);
  let spares = 0;
  return {
    node,
    exit,
    user,
    connection,
    /** A gateway serves it, however slow this machine is. */
    serve: async () => {
      await run.authorize(connection);
      await testApp.database.query(`update gateway_runs set seen_at = now() + interval '1 hour' where id = $1`, [
        run.runId,
      ]);
    },
    run,
    fail: () => node.exchange({ checks: [checkFailed(exit.id)] }),
    /** A free proxy at another exit. */
    addSpare: async (options: ProxyOptions = {}) => {
      spares += 1;
      const exitId = await createExit(testApp, node.name, `192.0.2.${spares}`);
      return createProxy(testApp, { countryCode: exit.countryCode, exitId, ...options });
    },
    replace: async () => (await user.call(replaceConnection, { params: { id: connection.id } })).data,
    /** Asks for it while the gateway serves the connection. @returns once the end was requested, with the answer */
    beginReplacement: async (): Promise<{ replaced: ReturnType<typeof replaceOf> }> => {
      const replaced = replaceOf(user, connection);
      const sql = 'select from connections where id = $1 and ending_at is not null';
      while ((await testApp.database.query(sql, [connection.id])).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      return { replaced };
    },
    show: async () => (await user.call(listConnections, { query: { id: connection.id } })).data[0]!,
    notifications: async () =>
      (await user.call(listNotifications, { query: {} })).data.map(({ description, content }) => ({
        description,
        content,
      })),
  };
}

const replaceOf = (user: TestUser, { id }: Connection) =>
  user.call(replaceConnection, { params: { id } }).then(({ data }) => data);

/** Purchases, requests and ends were so much earlier. */
export async function letAge(testApp: TestApp, id: string, minutes: number): Promise<void> {
  await testApp.database.query(
    'update connections set created_at = created_at - make_interval(mins => $2) where id = $1',
    [id, minutes],
  );
}

/** What the last release does when it closes a connection whose exit is lost: it refunds what is unused, and knows no replacements. */
export async function closeAsLastRelease(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    await ctx.db.query(
      `select from accounts where id = (select payer_account_id from connections where id = $1) for no key update`,
      [id],
    );
    const query = (text: string) => ctx.db.query(text, [id]);
    await query(
      `select end_connection(id, 'NOT_WORK', 'EXIT_LOST', 'REFUNDED', (used_bytes + 1048575) / 1048576, used_bytes)
         from connections where id = $1 and ending_reason = 'EXIT_LOST'`,
    );
    await query(`select refund_megabytes(id, charged_megabytes, 50) from connections where id = $1`);
    await query(
      `select post_transfers(array['connection:' || id || ':settle'], array[escrow_account_id], array[2::bigint], array[escrow_micros],
                             array['SETTLE'::transfer_reason])
         from connections where id = $1 and escrow_micros > 0`,
    );
  });
}
