/**
 * Open event streams: their memory in an API process, and the latency of a change from the commit in one process to the
 * reader of a stream of another.
 *
 * Usage: npm run build && npm run bench:live -- [streams]
 */
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { issueTokens, newSecret } from '../../api/src/modules/auth/tokens.ts';
import { startPostgres } from '../../tools/pg.mjs';
import { startProduct } from '../../tools/product.mjs';
import { cloneDatabase } from '../../tools/test-database.mjs';
import { openBench, type Bench } from '../billing/setup.ts';

const streamCount = Number(process.argv[2] ?? 500);
const SINGLE_CHANGES = 100;
const BURSTS = 20;

const postgres = await startPostgres({ dataDir: '.data/pg-bench' });
const database = await cloneDatabase(postgres.url, 'template1');
const bench = await openBench(database.url, {
  gateways: 1,
  connectionsPerGateway: streamCount,
  freeProxies: 0,
  storedConnections: 0,
});
const product = await startProduct({
  databaseUrl: database.url,
  parts: ['api'],
  logFile: '.data/bench-live.log',
  env: {
    SECRET_KEY: bench.ctx.config.secretKeys.join(),
    LOG_LEVEL: 'warn',
    // All readers are on this machine.
    SOCKETS_MAX: String(2 * streamCount + 100),
    SOCKETS_PER_NETWORK: String(2 * streamCount + 100),
  },
});

const before = residentMegabytes();
const arrivals = new Map<string, () => void>();
const tokens = await openSessions(bench);
const requests = await Promise.all(bench.actors.map(({ userId }) => openStream(userId, tokens.get(userId)!)));
await pause(1000);
const after = residentMegabytes();

const single: number[] = [];
for (let change = 0; change < SINGLE_CHANGES; change++) {
  single.push(...(await changeBalances([bench.actors[change % bench.actors.length]!])));
  // Longer than the batch interval, so that each change comes after a pause.
  await pause(210);
}
const bursts: number[] = [];
for (let burst = 0; burst < BURSTS; burst++) bursts.push(...(await changeBalances(bench.actors)));

console.log(`${streamCount} streams: ${before} MB before, ${after} MB with them`);
console.log(`one change after a pause: ${summary(single)}`);
console.log(`concurrent changes of all ${streamCount} users, without a pause: ${summary(bursts)}`);
for (const request of requests) request.destroy();
await product.stop();
await bench.close();
await database.drop();
await postgres.stop();

/** @returns a token for each user */
async function openSessions({ ctx, actors }: Bench): Promise<Map<string, string>> {
  const rows = await ctx.db.query<{ userId: string; sessionId: string }>(
    `insert into sessions (user_id, generation, refresh_salt, refresh_token_hash, device, expired_at)
     select id, 1, '', decode(md5(id::text), 'hex'), '', now() + interval '1 hour' from unnest($1::uuid[]) as id
     returning user_id as "userId", id as "sessionId"`,
    [actors.map(({ userId }) => userId)],
  );
  const entries = rows.map(async (claims) => {
    const { accessToken } = await issueTokens(ctx.config.secretKeys, claims, newSecret(), new Date());
    return [claims.userId, accessToken] as const;
  });
  return new Map(await Promise.all(entries));
}

async function openStream(userId: string, token: string): Promise<http.ClientRequest> {
  const headers = { authorization: `Bearer ${token}` };
  const request = http.get(product.url + LIVE_EVENTS_PATH, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  response.on('data', (chunk: Buffer) => {
    if (chunk.includes('event: changed')) arrivals.get(userId)?.();
  });
  response.on('error', () => {}); // The client destroys the request at the end of the run.
  return request;
}

/** Announces changed balances of these users from this process. @returns the delay of each event in milliseconds */
function changeBalances(users: Bench['actors']): Promise<number[]> {
  const changedAt = performance.now();
  const delivered = users.map(
    ({ userId }) =>
      new Promise<number>((resolve) => arrivals.set(userId, () => resolve(performance.now() - changedAt))),
  );
  for (const { accountId } of users) bench.ctx.changed({ accountId }, 'balance');
  return Promise.all(delivered);
}

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${product.processes.get('api')!.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024);
}

function summary(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, maximum ${at(1)} ms`;
}
