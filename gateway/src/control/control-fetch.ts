import type { FetchInit, FetchResponse } from '@cellhop/contract/client';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

/** Few idle connections stay open after a burst of logins, because they use up descriptors. */
const POOL = { keepAlive: true, maxFreeSockets: 4 };
const agents = { http: new HttpAgent(POOL), https: new HttpsAgent(POOL) };

/**
 * Replaces `fetch` for calls to the control plane, with less than half of its CPU time: a fast connection is reported up to 200 times a second.
 * Like `fetch`, it keeps connections open; it does not follow redirects.
 */
export async function controlFetch(url: string, init: FetchInit): Promise<FetchResponse> {
  try {
    return await send(url, init);
  } catch (error) {
    // The control plane may have closed this idle connection. Retry with the next idle one, finally with a new one; calls are idempotent.
    if (error instanceof StaleConnection) return controlFetch(url, init);
    throw error;
  }
}

class StaleConnection extends Error {}

function send(url: string, { method, headers, body = '', signal }: FetchInit): Promise<FetchResponse> {
  if (typeof body !== 'string') throw new TypeError('Only text is sent to the control plane');
  const isSecure = url.startsWith('https:');
  const options: RequestOptions = {
    method,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: isSecure ? agents.https : agents.http,
    signal,
  };
  return new Promise((fulfil, reject) => {
    const sent = (isSecure ? requestHttps : requestHttp)(url, options, (response) => {
      readResponse(response).then(fulfil, (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error));
    });
    sent.on('error', (error) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const isStale = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      return reject(isStale ? new StaleConnection(error.message) : error);
    });
    sent.end(body);
  });
}

async function readResponse(response: IncomingMessage): Promise<FetchResponse> {
  const { statusCode: status = 0, headers } = response;
  const body = await text(response);
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    text: () => Promise.resolve(body),
  };
}
