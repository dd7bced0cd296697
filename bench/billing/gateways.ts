/** Simulates gateways in a separate process: receives a job, reports over HTTP, returns the result and exits. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway } from './setup.ts';
import type { GatewayJob, Result } from './syncs.ts';

const WANTED_BYTES = 1_048_576;

process.once('message', (job: GatewayJob) => {
  void run(job).then((result) => process.send!(result, () => process.exit(0)));
});

async function run(job: GatewayJob): Promise<Result> {
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const deadline = startedAt + job.seconds * 1000;
  const latenciesMs: number[] = [];
  let syncs = 0;
  const work = async (gateway: Gateway, index: number) => {
    // Spread over the interval, like the starts of real gateways.
    let nextAt = startedAt + (job.everyMs * index) / job.gateways.length;
    while (nextAt < deadline) {
      await pause(Math.max(0, nextAt - performance.now()));
      gateway.usedBytes += job.growthBytes;
      const sentAt = performance.now();
      await report(agent, job, gateway);
      latenciesMs.push(performance.now() - sentAt);
      syncs += gateway.connectionIds.length;
      nextAt = job.everyMs === 0 ? performance.now() : nextAt + job.everyMs;
    }
  };
  await Promise.all(job.gateways.map(work));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    syncsPerSecond: syncs / seconds,
    latenciesMs: latenciesMs.sort((a, b) => a - b),
    usedBytes: job.gateways.map((gateway) => gateway.usedBytes),
  };
}

/** Builds and checks JSON as text, because this process shares the CPU with the API that it measures. */
async function report(agent: Agent, { baseUrl, token }: GatewayJob, { runId, connectionIds, usedBytes }: Gateway) {
  const counters = `"usedBytes":${usedBytes},"uploadedBytes":0,"wantedBytes":${WANTED_BYTES}`;
  const state = `"isExitLost":false,"accessRevision":1`;
  const usages = connectionIds.map((id) => `{"connectionId":"${id}",${counters},${state}}`).join(',');
  const body = `{"runId":"${runId}","usages":[${usages}]}`;
  const response = await post(agent, `${baseUrl}/internal/gateway/update`, token, body);
  if (response.split('"state":"open"').length - 1 !== connectionIds.length)
    throw new Error(`an update failed: ${response.slice(0, 500)}`);
}

function post(agent: Agent, url: string, token: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
