/** DEMO_DATA=large: the connections that its history leaves open are used, so that the demo has live connections as long as it runs. */
import http from 'node:http';
import type { Ctx } from '../ctx.ts';
import { readWithPassword } from '../modules/connections/connections.service.ts';
import { DEMO_CUSTOMER } from './demo-plan.ts';
import { listLeftOpen } from './seed.store.ts';

/** A few live connections are enough, and cost the machine little. */
const USED_MAX = 5;
const TIMEOUT_MS = 30_000;

/** Downloads a megabyte through each. Called more often than connections end as idle. */
export async function useDemoConnections(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { isDevelopment, demoData, host, port } = ctx.config;
  if (!isDevelopment || demoData !== 'large') return;
  const target = `http://${host}:${port}/dev/download/1`;
  for (const id of await listLeftOpen(ctx, DEMO_CUSTOMER, USED_MAX)) {
    const { username, password, ...access } = await readWithPassword(ctx, id);
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    await download({ host: access.host, port: access.port, path: target, login }, signal).catch((error: unknown) => {
      if (!signal.aborted) ctx.log.debug({ err: error, connectionId: id }, 'no traffic on a connection of the demo');
    });
  }
}

interface Download {
  host: string;
  port: number;
  /** The whole address, because the host is a proxy. */
  path: string;
  login: string;
}

function download({ host, port, path, login }: Download, stopping: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { host: new URL(path).host, 'proxy-authorization': `Basic ${login}` };
  return new Promise((resolve, reject) => {
    http
      .get({ host, port, path, headers, signal, agent: false }, (response) => {
        response.once('end', resolve).once('error', reject).resume();
      })
      .once('error', reject);
  });
}
