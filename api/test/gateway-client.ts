import {
  authorize,
  authorizeAddress,
  dnsPorts,
  end,
  update,
  watch,
  type Authorization,
  type Credit,
  type WatchResponse,
} from '@cellhop/contract/gateway';
import type { Connection } from '@cellhop/contract/connections';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { GATEWAY_TOKEN, type TestApp } from './test-app.ts';
import { createTestClient } from './test-client.ts';

/** A simulated gateway run; tests decide what it counts and reports. */
export function createGatewayRun(test: TestApp, token = GATEWAY_TOKEN) {
  const call = createTestClient({ baseUrl: test.url, headers: () => ({ authorization: `Bearer ${token}` }) });
  const runId = randomUUID();
  return {
    runId,
    call,
    async authorize(
      { username, password }: Pick<Connection, 'username' | 'password'>,
      clientAddress?: string,
    ): Promise<Authorization> {
      assert(password !== null);
      return (await call(authorize, { body: { runId, username, password, clientAddress } })).data;
    },
    async authorizeAddress(clientAddress: string, dnsPort?: number): Promise<Authorization> {
      return (await call(authorizeAddress, { body: { runId, clientAddress, dnsPort } })).data;
    },
    async dnsPorts() {
      return (await call(dnsPorts, { body: { runId } })).data;
    },
    async report(
      connectionId: string,
      usedBytes: number,
      wantedBytes = 0,
      { uploadedBytes = 0, isExitLost = false, accessRevision = 1 }: Partial<ReportDetails> = {},
    ): Promise<Credit> {
      const usage = { connectionId, usedBytes, uploadedBytes, wantedBytes, isExitLost, accessRevision };
      const { data } = await call(update, { body: { runId, usages: [usage] } });
      assert(data[0]);
      return data[0];
    },
    async watch(): Promise<WatchResponse> {
      return (await call(watch, { body: { runId } })).data;
    },
    /** As if the process had reported last so much earlier. */
    async fallSilent(duration: string): Promise<void> {
      await test.database.query('update gateway_runs set seen_at = seen_at - $2::interval where id = $1', [
        runId,
        duration,
      ]);
    },
    async end(connectionId: string, usedBytes: number, uploadedBytes = 0): Promise<void> {
      await call(end, { body: { runId, usages: [{ connectionId, usedBytes, uploadedBytes }] } });
    },
  };
}

/**
 * Buys, and waits until gateways have been told of it. They are told a moment after the purchase; a call that begins to wait within this
 * moment would be answered at once.
 */
export async function untilTold<Bought>(test: TestApp, buy: () => Promise<Bought>): Promise<Bought> {
  const run = createGatewayRun(test);
  const untilBought = async (): Promise<void> => {
    // Other changes may be told before.
    while ((await run.watch()).bought === undefined);
  };
  const told = untilBought();
  await expect.poll(() => test.app.longPolls.runIds).toContain(run.runId);
  const bought = await buy();
  await told;
  return bought;
}

interface ReportDetails {
  uploadedBytes: number;
  isExitLost: boolean;
  accessRevision: number;
}
