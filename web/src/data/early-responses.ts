/** Responses that the page requested before its code was loaded (boot/first-requests.js). Each is used once. */
interface EarlyResponse {
  authorization?: string | undefined;
  response: Promise<Response>;
}

/** An older response may be out of date. */
const MAX_AGE_MS = 10_000;

declare global {
  interface Window {
    earlyResponses?: Record<string, EarlyResponse>;
  }
}

/** @returns undefined when there is no response for this URL and token */
export function takeEarlyResponse(url: string, init: RequestInit): Promise<Response> | undefined {
  const responses = globalThis.window?.earlyResponses;
  const early = responses?.[url];
  if (responses === undefined || early === undefined || (init.method ?? 'GET') !== 'GET') return undefined;
  delete responses[url];
  const authorization = new Headers(init.headers).get('authorization') ?? undefined;
  if (early.authorization !== authorization || performance.now() > MAX_AGE_MS) return undefined;
  return unlessAborted(early.response, init.signal);
}

async function unlessAborted(response: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
  if (!signal) return response;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([response, aborted]);
}
