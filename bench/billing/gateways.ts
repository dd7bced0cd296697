/** The process of the gateways: takes one order, reports over HTTP, answers and ends. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Gateway } from './setup.ts';
import type { Order, Result } from './syncs.ts';

const WANTED_BYTES = 1_048_576;

process.once('message', (order: Order) => {
  void run(order).then((result) => process.send!(result, () => process.exit(0)));
});

async function run(order: Order): Promise<Result> {
  const agent = new Agent({ keepAlive: true });
  const startedAt = performance.now();
  const deadline = startedAt + order.seconds * 1000;
  const latenciesMs: number[] = [];
  let syncs = 0;
  const work = async (gateway: Gateway, index: number) => {
    // Spread over the interval, as the starts of real gateways are.
    let nextAt = startedAt + (order.everyMs * index) / order.gateways.length;
    while (nextAt < deadline) {
      await pause(Math.max(0, nextAt - performance.now()));
      gateway.usedBytes += order.growthBytes;
      const sentAt = performance.now();
      await report(agent, order, gateway);
      latenciesMs.push(performance.now() - sentAt);
      syncs += gateway.connectionIds.length;
      nextAt = order.everyMs === 0 ? performance.now() : nextAt + order.everyMs;
    }
  };
  await Promise.all(order.gateways.map(work));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    syncsPerSecond: syncs / seconds,
    latenciesMs: latenciesMs.sort((a, b) => a - b),
    usedBytes: order.gateways.map((gateway) => gateway.usedBytes),
  };
}

/** Written and read as text: this process shares the machine with what it measures, and is to take little of it. */
async function report(agent: Agent, { baseUrl, token }: Order, { runId, connectionIds, usedBytes }: Gateway) {
  const counters = `"usedBytes":${usedBytes},"uploadedBytes":0,"wantedBytes":${WANTED_BYTES},"isExitLost":false`;
  const usages = connectionIds.map((id) => `{"connectionId":"${id}",${counters}}`).join(',');
  const body = `{"runId":"${runId}","usages":[${usages}]}`;
  const answer = await post(agent, `${baseUrl}/internal/gateway/update`, token, body);
  if (answer.split('"state":"open"').length - 1 !== connectionIds.length)
    throw new Error(`an update failed: ${answer.slice(0, 500)}`);
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
