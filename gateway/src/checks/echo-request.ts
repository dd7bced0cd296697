import { echo } from '@cellhop/contract/exit-checks';
import { canonicalAddress } from '@cellhop/contract/network';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { isPublicAddress } from '../destination-policy.ts';
import type { Dial } from '../exits/dial.ts';
import type { DialAbort, Exit } from '../exits/exit.ts';
import type { Limits } from '../limits.ts';
import { parseHost } from '../protocol/host.ts';
import { TunnelFailure } from '../statuses.ts';
import { requestThrough, type RequestSettings } from './request-through.ts';

/** What came back was not the echo: another server, or another proxy, has answered. */
export class EchoFailure extends Error {
  constructor(readonly reason: string) {
    super(`The echo failed: ${reason}`);
  }
}

export interface EchoAnswer {
  /** From the dial to the first byte of the response: what a customer waits. */
  readonly latencyMs: number;
  /** The client's address that the echo saw; undefined if it is not public. */
  readonly seenAddress: string | undefined;
  /** The same, public or not. */
  readonly address: string | undefined;
}

export interface EchoSettings extends RequestSettings {
  /** Its guard permits the echo. */
  readonly dial: Dial;
  readonly limits: Pick<Limits, 'echoResponseBytes'>;
}

export const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/**
 * Sends a request through an exit exactly as a customer's would travel: resolves the name, connects, and reads a response. Only one
 * with the request's nonce counts, because captive portals answer everything.
 * @throws EchoFailure, TunnelFailure, or an error of the network
 */
export async function askEcho(
  settings: EchoSettings,
  exit: Exit,
  echoUrl: string,
  timeoutMs: number,
): Promise<EchoAnswer> {
  const url = new URL(echoUrl);
  const nonce = randomUUID();
  url.searchParams.set('nonce', nonce);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const host = parseHost(name);
  if (!host) throw new TunnelFailure('name-not-found');
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  const startedAt = performance.now();
  return requestThrough(settings, exit, { host, port }, timeoutMs, async (stream, abort) => {
    const secured = url.protocol === 'https:' ? await secure(stream, name, abort) : stream;
    const { respondedAt, body } = await exchange(secured, url, abort, settings.limits.echoResponseBytes);
    return { latencyMs: Math.round(respondedAt - startedAt), ...readAddress(body, nonce) };
  });
}

/** @throws EchoFailure if the certificate is not that of the echo */
export function secure(stream: Duplex, host: string, abort: DialAbort): Promise<Duplex> {
  return new Promise((fulfil, reject) => {
    const secured = connectTls({ socket: stream, host, ...(isIP(host) === 0 && { servername: host }) });
    abort.whenAborted(() => reject(new TunnelFailure('dial-timeout')));
    secured.once('secureConnect', () => fulfil(secured));
    // Never removed: an error after the response has been read must not be fatal.
    secured.on('error', (error: NodeJS.ErrnoException) => {
      reject(error.syscall === undefined ? new EchoFailure('echo-tls') : error);
    });
    secured.once('close', () => reject(new TunnelFailure('connection-terminated')));
  });
}

interface EchoResponse {
  readonly respondedAt: number;
  readonly body: string;
}

/** @throws EchoFailure for any response but a short one with status 200 */
function exchange(stream: Duplex, url: URL, abort: DialAbort, bytesMax: number): Promise<EchoResponse> {
  return new Promise((fulfil, reject) => {
    const sent = request({
      createConnection: () => stream,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, accept: 'application/json', connection: 'close' },
    });
    abort.whenAborted(() => sent.destroy(new TunnelFailure('dial-timeout')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isMalformed = error.code?.startsWith('HPE_') === true;
      reject(isMalformed ? new EchoFailure('echo-malformed') : error);
    });
    // Exits return paused connections.
    sent.once('socket', () => stream.resume());
    sent.once('response', (response) => {
      const respondedAt = performance.now();
      if (response.statusCode !== 200) return reject(new EchoFailure(`echo-status:${response.statusCode}`));
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (body.length > bytesMax) response.destroy(new EchoFailure('echo-mismatch'));
      });
      response.once('error', reject);
      response.once('end', () => fulfil({ respondedAt, body }));
      return undefined;
    });
    sent.end();
  });
}

function readAddress(body: string, nonce: string): Pick<EchoAnswer, 'address' | 'seenAddress'> {
  const answer = echo.response.safeParse(parseJson(body)).data?.data;
  if (answer?.nonce !== nonce) throw new EchoFailure('echo-mismatch');
  const address = canonicalAddress(answer.address);
  const host = address === undefined ? undefined : parseHost(address);
  const isPublic = host?.kind === 'address' && isPublicAddress(host.bytes);
  return { address, seenAddress: isPublic ? address : undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
