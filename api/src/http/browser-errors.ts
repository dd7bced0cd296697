/** Logs errors that browsers report. The endpoint is public, so log entries are rate-limited and secrets are removed. */
import { type BrowserErrorBody, reportBrowserError } from '@cellhop/contract/browser-errors';
import { AppError } from '@cellhop/contract/errors';
import { clientNetworks, networkLimits } from '@cellhop/contract/network';
import type { FastifyInstance } from 'fastify';
import { type Requester, deviceName } from './requester.ts';
import type { Log } from '../process/log.ts';
import { route } from './route.ts';

const WINDOW_MS = 60_000;
/** Per process. A single network can neither flood the log nor use up the limit of others. */
const LOGGED_PER_NETWORK_MAX = 5;
const LOGGED_MAX = 100;

/** Shorter runs of letters and digits are words and file names. */
const OPAQUE_LENGTH_MIN = 20;

export class BrowserErrors {
  /** Since the process started. */
  readonly counts = { logged: 0, dropped: 0 };
  /** Only logged reports are counted, so the map has at most three entries per logged report. */
  private logged = { untilMs: 0, total: 0, byNetwork: new Map<string, number>() };

  constructor(private readonly log: Log) {}

  /** @throws AppError RATE_LIMITED; then the report is only counted */
  report(requester: Requester, { name, message, stack, path }: BrowserErrorBody): void {
    this.count(clientNetworks(requester.ip));
    const texts = { name, message, path, ...(stack !== undefined && { stack }) };
    const browserError = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, withoutSecrets(text)]));
    this.log.warn(
      { browserError, device: deviceName(requester), requestId: requester.requestId },
      'a browser reported an error',
    );
  }

  private count(networks: readonly string[]): void {
    const nowMs = performance.now();
    if (nowMs >= this.logged.untilMs) this.logged = { untilMs: nowMs + WINDOW_MS, total: 0, byNetwork: new Map() };
    const { byNetwork } = this.logged;
    const loggedFor = (network: string) => byNetwork.get(network) ?? 0;
    const isFull = networkLimits(networks, LOGGED_PER_NETWORK_MAX).some(({ name, limit }) => loggedFor(name) >= limit);
    if (isFull || this.logged.total >= LOGGED_MAX) {
      this.counts.dropped += 1;
      throw AppError.rateLimited(Math.ceil((this.logged.untilMs - nowMs) / 1000));
    }
    this.counts.logged += 1;
    this.logged.total += 1;
    for (const network of networks) byNetwork.set(network, loggedFor(network) + 1);
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    browserErrors: BrowserErrors;
  }
}

export function browserErrorsRoutes(app: FastifyInstance): void {
  const browserErrors = new BrowserErrors(app.ctx.log);
  app.decorate('browserErrors', browserErrors);
  route(app, reportBrowserError, async ({ requester, body }) => {
    browserErrors.report(requester, body);
    return { data: { isAccepted: true as const } };
  });
}

/** Removes query strings, fragments, email addresses, tokens, codes and ids, but keeps the names of the app's files. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/[?#][^\s)'"]*/g, '')
    .replaceAll(/[\w.+%-]{1,64}@[\w-]+\.[\w.-]+/g, '[email]')
    .replaceAll(/[\w.~+/-]{1,2000}/g, (run) => run.split('/').map(withoutOpaqueRun).join('/'));
}

function withoutOpaqueRun(part: string): string {
  if (part.length < OPAQUE_LENGTH_MIN || !/\d/.test(part) || /\.(?:js|css|html)$/.test(part)) return part;
  return '[removed]';
}
