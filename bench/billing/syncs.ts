/** Credit-control syncs: reports of gateways, each connection with its own charge or its own bytes. */
import { settleReports } from '../../api/src/modules/billing/settlement.service.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { GATEWAY_TOKEN, type Bench, type Gateway } from './setup.ts';

const MEGABYTE_BYTES = 1_048_576;

/** Each report begins one megabyte and asks for the next, straight into the settlement. @returns syncs per second */
export async function syncInProcess({ ctx, gateways }: Bench, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  let syncs = 0;
  const run = async (gateway: Gateway) => {
    while (performance.now() < deadline) {
      gateway.usedBytes += MEGABYTE_BYTES;
      const reports = gateway.connectionIds.map((connectionId) => ({
        connectionId,
        usedBytes: BigInt(gateway.usedBytes),
        uploadedBytes: 0n,
        wantedBytes: BigInt(MEGABYTE_BYTES),
        isExitLost: false,
      }));
      const answers = await settleReports(ctx, gateway.runId, reports, 'report');
      if (answers.some((answer) => answer.state !== 'open'))
        throw new Error('a connection of the bench ran out of money');
      syncs += reports.length;
    }
  };
  await Promise.all(gateways.map(run));
  return syncs / ((performance.now() - startedAt) / 1000);
}

/** What the process of the gateways is asked to do. */
export interface Order {
  baseUrl: string;
  token: string;
  gateways: Gateway[];
  seconds: number;
  /** Each report adds this many bytes. */
  growthBytes: number;
  /** Between two reports of a gateway; 0: the next one at once. */
  everyMs: number;
}

export interface Result {
  syncsPerSecond: number;
  /** Of each request, sorted. */
  latenciesMs: number[];
  usedBytes: number[];
}

/** The same through the HTTP interface; the gateways share one process of their own, as far away as they can be here. */
export async function syncOverHttp(bench: Bench, baseUrl: string, seconds: number): Promise<Result> {
  return give(bench, { baseUrl, seconds, growthBytes: MEGABYTE_BYTES, everyMs: 0 });
}

/** Every connection reports once a second that it had traffic of 1 Mbit/s. */
export async function syncLive(bench: Bench, baseUrl: string, seconds: number): Promise<Result> {
  return give(bench, { baseUrl, seconds, growthBytes: 125_000, everyMs: 1000 });
}

async function give(bench: Bench, order: Pick<Order, 'baseUrl' | 'seconds' | 'growthBytes' | 'everyMs'>) {
  const child = fork(new URL('gateways.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const answered = once(child, 'message') as Promise<[Result]>;
  const exited = once(child, 'exit').then(() => {
    throw new Error('the process of the gateways ended without an answer');
  });
  // When it has answered, its exit is no failure.
  exited.catch(() => {});
  child.send({ ...order, token: GATEWAY_TOKEN, gateways: bench.gateways } satisfies Order);
  const [result] = await Promise.race([answered, exited]);
  for (const [index, gateway] of bench.gateways.entries()) gateway.usedBytes = result.usedBytes[index]!;
  return result;
}
