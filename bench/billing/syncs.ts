/** Credit-control syncs: reports of gateways, with new bytes or a new charge for each connection. */
import { chargeReports } from '../../api/src/modules/billing/usage-reports.service.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { GATEWAY_TOKEN, type Bench, type Gateway } from './setup.ts';

const MEGABYTE_BYTES = 1_048_576;

/** Calls the service directly; each report starts one megabyte and requests the next. @returns syncs per second */
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
      const credits = await chargeReports(ctx, gateway.runId, reports, 'report');
      if (credits.some((credit) => credit.state !== 'open'))
        throw new Error('a connection of the benchmark has no credit left');
      syncs += reports.length;
    }
  };
  await Promise.all(gateways.map(run));
  return syncs / ((performance.now() - startedAt) / 1000);
}

/** The input of the gateways' process. */
export interface GatewayJob {
  baseUrl: string;
  token: string;
  gateways: Gateway[];
  seconds: number;
  /** Each report adds this many bytes. */
  growthBytes: number;
  /** Interval between two reports of a gateway; 0: no pause. */
  everyMs: number;
}

export interface Result {
  syncsPerSecond: number;
  /** The latency of each request, sorted. */
  latenciesMs: number[];
  usedBytes: number[];
}

/** The same over HTTP; the gateways run in a separate process. */
export async function syncOverHttp(bench: Bench, baseUrl: string, seconds: number): Promise<Result> {
  return runGateways(bench, { baseUrl, seconds, growthBytes: MEGABYTE_BYTES, everyMs: 0 });
}

/** Every connection reports once a second that it had traffic of 1 Mbit/s. */
export async function syncLive(bench: Bench, baseUrl: string, seconds: number): Promise<Result> {
  return runGateways(bench, { baseUrl, seconds, growthBytes: 125_000, everyMs: 1000 });
}

async function runGateways(bench: Bench, job: Pick<GatewayJob, 'baseUrl' | 'seconds' | 'growthBytes' | 'everyMs'>) {
  const child = fork(new URL('gateways.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const responded = once(child, 'message') as Promise<[Result]>;
  const exited = once(child, 'exit').then(() => {
    throw new Error('the process of the gateways exited without a result');
  });
  // After the result, the exit is not a failure.
  exited.catch(() => {});
  child.send({ ...job, token: GATEWAY_TOKEN, gateways: bench.gateways } satisfies GatewayJob);
  const [result] = await Promise.race([responded, exited]);
  for (const [index, gateway] of bench.gateways.entries()) gateway.usedBytes = result.usedBytes[index]!;
  return result;
}
