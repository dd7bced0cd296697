import type { RotationLink } from '@cellhop/contract/rotation-links';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dial } from '../exits/dial.ts';
import type { DialAbort, Exit } from '../exits/exit.ts';
import type { Limits } from '../limits.ts';
import { parseHost } from '../protocol/host.ts';
import { toDialFailure } from '../statuses.ts';
import { DEFAULT_PORTS, EchoFailure, secure } from './echo-request.ts';
import { requestThrough } from './request-through.ts';

interface LinkSettings {
  /** Its guard permits what customers may reach, and the exit's own host. */
  readonly dial: Dial;
  readonly ownRoute: Exit;
  readonly running: Set<DialAbort>;
  readonly limits: Pick<Limits, 'linkCallMs' | 'linkResponseBytes'>;
}

/** Why the farm was not asked, or has refused. */
export class LinkFailure extends Error {
  constructor(readonly reason: string) {
    super(`The link failed: ${reason}`);
  }
}

const REDIRECTS_MAX = 3;
const KEEPS_METHOD = new Set([307, 308]);

/**
 * Calls the link of a farm by the host's own route. Returns as soon as the farm has answered, or has not for `linkCallMs`: what it says proves
 * nothing, but a refusal ends the wait. Redirects are followed on the same host only, and never from https to http.
 * @throws LinkFailure
 */
export async function callLink(settings: LinkSettings, link: RotationLink): Promise<void> {
  let [url, method] = [new URL(link.url), link.method];
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(settings, { ...link, method }, url);
    if (answer === undefined || answer.status < 300) return;
    const next = answer.status < 400 ? follow(url, answer.location) : undefined;
    if (next === undefined || redirects === REDIRECTS_MAX) throw new LinkFailure(`link-status:${answer.status}`);
    if (!KEEPS_METHOD.has(answer.status)) method = 'GET';
    url = next;
  }
}

/** @returns undefined if it leads elsewhere */
function follow(from: URL, location: string | undefined): URL | undefined {
  const to = location !== undefined && URL.canParse(location, from) ? new URL(location, from) : undefined;
  const isSame = to?.hostname === from.hostname && (to.protocol === from.protocol || to.protocol === 'https:');
  return isSame ? to : undefined;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
}

/** @returns undefined if it has not answered in time. @throws LinkFailure */
async function exchange(settings: LinkSettings, link: RotationLink, url: URL): Promise<Answer | undefined> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const host = parseHost(name);
  if (!host) throw new LinkFailure('link-unreachable');
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  try {
    return await requestThrough(
      settings,
      settings.ownRoute,
      { host, port },
      settings.limits.linkCallMs,
      async (stream, abort) =>
        send(
          url.protocol === 'https:' ? await secure(stream, name, abort) : stream,
          { link, url, abort },
          settings.limits,
        ),
    );
  } catch (error) {
    throw new LinkFailure(toReason(error));
  }
}

function toReason(error: unknown): string {
  if (error instanceof EchoFailure) return 'link-tls';
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_')) return 'link-malformed';
  return toDialFailure(error).failure === 'destination-prohibited' ? 'link-prohibited' : 'link-unreachable';
}

/** Reads at most `linkResponseBytes`, and keeps nothing of them: some farms stop when their client goes away early. */
function send(
  stream: Duplex,
  { link: { method, header }, url, abort }: { link: RotationLink; url: URL; abort: DialAbort },
  { linkResponseBytes }: LinkSettings['limits'],
): Promise<Answer | undefined> {
  return new Promise((fulfil, reject) => {
    const sent = request({
      createConnection: () => stream,
      method,
      path: `${url.pathname}${url.search}`,
      ...(url.username !== '' && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
      headers: {
        host: url.host,
        accept: '*/*',
        connection: 'close',
        ...(method === 'POST' && { 'content-length': 0 }),
        ...(header && { [header.name]: header.value }),
      },
    });
    abort.whenAborted(() => {
      fulfil(undefined);
      sent.destroy();
    });
    // After the answer, an error in its rest says nothing.
    sent.on('error', reject);
    sent.once('socket', () => stream.resume());
    sent.once('response', (response) => {
      const answer = { status: response.statusCode ?? 0, location: response.headers.location };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > linkResponseBytes) response.destroy();
      });
      response.on('error', () => {});
      response.once('close', () => fulfil(answer));
    });
    sent.end();
  });
}
