/** Errors that browsers report, for the operators' log. Anybody may report, so what is written is bounded and without secrets. */
import { type BrowserErrorBody, reportBrowserError } from '@cellhop/contract/browser-errors';
import { AppError } from '@cellhop/contract/errors';
import { clientNetwork } from '@cellhop/contract/network';
import type { FastifyInstance } from 'fastify';
import { type Client, deviceOf } from '../client.ts';
import type { Log } from '../log.ts';
import { route } from './route.ts';

const WINDOW_MS = 60_000;
/** In each process. One network cannot fill the log, nor keep others out of it. */
const LOGGED_OF_NETWORK_MAX = 5;
const LOGGED_MAX = 100;

/** Shorter runs of letters and digits are words and names of files. */
const OPAQUE_LENGTH_MIN = 20;

export class BrowserErrors {
  /** Since the process started. */
  readonly counts = { logged: 0, dropped: 0 };
  /** Only what is logged is counted, so no more networks are remembered than lines are logged. */
  private logged = { untilMs: 0, inAll: 0, ofNetworks: new Map<string, number>() };

  constructor(private readonly log: Log) {}

  /** @throws AppError RATE_LIMITED; then the report is counted alone */
  report(client: Client, { name, message, stack, path }: BrowserErrorBody): void {
    this.count(clientNetwork(client.ip));
    const texts = { name, message, path, ...(stack !== undefined && { stack }) };
    const browserError = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, withoutSecrets(text)]));
    this.log.warn(
      { browserError, device: deviceOf(client), requestId: client.requestId },
      'a browser reports an error',
    );
  }

  private count(network: string): void {
    const nowMs = performance.now();
    if (nowMs >= this.logged.untilMs) this.logged = { untilMs: nowMs + WINDOW_MS, inAll: 0, ofNetworks: new Map() };
    const ofNetwork = this.logged.ofNetworks.get(network) ?? 0;
    if (ofNetwork >= LOGGED_OF_NETWORK_MAX || this.logged.inAll >= LOGGED_MAX) {
      this.counts.dropped += 1;
      throw AppError.rateLimited(Math.ceil((this.logged.untilMs - nowMs) / 1000));
    }
    this.counts.logged += 1;
    this.logged.inAll += 1;
    this.logged.ofNetworks.set(network, ofNetwork + 1);
  }
}

export function browserErrorsRoutes(app: FastifyInstance, browserErrors: BrowserErrors): void {
  route(app, reportBrowserError, async ({ client, body }) => {
    browserErrors.report(client, body);
    return { data: { isAccepted: true as const } };
  });
}

/** Without search parameters, fragments, email addresses, tokens, codes and ids; names of the app's files stay. */
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
