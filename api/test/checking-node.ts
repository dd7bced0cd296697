import { checkExits, type ExitCheck, type RotationReport } from '@cellhop/contract/exit-checks';
import { GATEWAY_CONTRACT_VERSION, hello } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { addNode } from '../src/modules/gateway/gateway.service.ts';
import { createProxy } from './factories.ts';
import type { TestApp } from './test-app.ts';
import { createTestClient } from './test-client.ts';

export type CheckingNode = Awaited<ReturnType<typeof createCheckingNode>>;
let nodes = 0;

interface Report {
  checks?: ExitCheck[];
  suspectIds?: string[];
  wanted?: number;
  rotations?: RotationReport[];
  /** Absent: a node of a release that calls no links. */
  rotationsWanted?: number;
}

/** A node with calls of its own; each test has one, so that nothing else is due there. */
export async function createCheckingNode(test: TestApp) {
  nodes += 1;
  const name = `node-${nodes}`;
  const token = await addNode(test.ctx, name);
  const call = createTestClient({ baseUrl: test.url, headers: () => ({ authorization: `Bearer ${token}` }) });
  const exchange = async (report: Report = {}) =>
    (await call(checkExits, { body: { checks: [], suspectIds: [], wanted: 0, ...report } })).data;
  const takeDue = async (wanted = 256) => (await exchange({ wanted })).due.map(({ id }) => id);
  /** A run of this node says what it can do. */
  const greet = (contractVersion = GATEWAY_CONTRACT_VERSION, runId = randomUUID()) =>
    call(hello, {
      body: { contractVersion, runId, status: { softwareVersion: '0.5.0', tunnels: 0, bytesPerSecond: 0 } },
    });
  /** Makes all checks of the node due. */
  const letTimePass = (seconds: number) =>
    test.database.query(
      `update exit_checks
          set next_check_at = next_check_at - $2 * interval '1 second', checked_at = checked_at - $2 * interval '1 second',
              failing_since = failing_since - $2 * interval '1 second', requested_at = requested_at - $2 * interval '1 second'
        where node_id = (select id from gateway_nodes where name = $1)`,
      [name, seconds],
    );
  return { name, token, exchange, takeDue, letTimePass, greet };
}

let addresses = 0;
/** An exit that was never checked, as an import creates it, and its proxy in a country of its own. */
export async function createUncheckedExit(test: TestApp, node: CheckingNode) {
  addresses += 1;
  const [exit] = await test.database.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select id, 'http', 'http://upstream.test:' || $2::int, jsonb_build_object('host', 'upstream.test', 'port', $2::int)
       from gateway_nodes where name = $1 returning id`,
    [node.name, addresses],
  );
  const countryCode = `${String.fromCharCode(65 + Math.floor(addresses / 26))}${String.fromCharCode(65 + (addresses % 26))}`;
  const proxyId = await createProxy(test, { exitId: exit!.id, countryCode });
  return { id: exit!.id, proxyId, countryCode };
}

export const checkOk = (exitId: string, details: Partial<ExitCheck> = {}): ExitCheck => ({
  exitId,
  outcome: 'ok',
  latencyMs: 42,
  ...details,
});

export const checkFailed = (exitId: string, reason = 'upstream-refused:403'): ExitCheck => ({
  exitId,
  outcome: 'failed',
  reason,
});
