/** How nodes and providers say no: as statuses, as errors inside a response of status 200, and as plain text. */
import { ChainUnavailable } from './watcher.ts';

/** The source has understood the call and refuses it. The caller decides what that means. */
export class SourceRefusal extends Error {
  override readonly name: string = 'SourceRefusal';
  constructor(
    readonly node: string,
    /** Of JSON-RPC, or the status of HTTP. */
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Statuses of proxies in front of a node: the request has too many bytes, in its body, its URL or its headers. The caller can split it. */
const tooLargeStatuses = new Set([413, 414, 431]);

export function isTooLargeStatus(status: number): boolean {
  return tooLargeStatuses.has(status);
}

/** Also one of our own: the response has more bytes than are read. It says nothing about what was done, so that it is no refusal. */
export class ResponseTooLarge extends ChainUnavailable {
  constructor(node: string, bytesMax: number) {
    super('INVALID_RESPONSE', `${node} sent more than ${bytesMax} bytes`);
  }
}

/** Less may be asked for at once. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ResponseTooLarge || (error instanceof SourceRefusal && isTooLargeStatus(error.code));
}

/** For what can be left out. */
export function ignoreTooLarge(error: unknown): undefined {
  if (!isTooLarge(error)) throw error;
}

/** Providers report an exceeded quota as an error of the call. It must not be mistaken for "too many logs". */
const QUOTA_MESSAGE =
  /rate.?limit|rps limit|request rate|limit is reached|too many requests|per second|compute units|daily request|request count|quota|throttl|capacity|computing resources|suspended/i;

export function isQuotaMessage(message: string): boolean {
  return QUOTA_MESSAGE.test(message);
}

/** @returns the pause that the message requests, as TronGrid does */
export function requestedPauseMs(message: string): number | undefined {
  const seconds = /suspended for (\d{1,6}) ?s/i.exec(message)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** java-tron refuses with status 200 and without the envelope of JSON-RPC, also on that interface. */
export function findOuterError(value: unknown): string | undefined {
  const { Error: message } = (value ?? {}) as { Error?: unknown };
  return typeof message === 'string' ? message : undefined;
}

/** @param text a response that is no JSON, which is not repeated: it may be a page of any size */
export function explainText(name: string, where: string, status: number, text: string): ChainUnavailable {
  if (/lite full ?node/i.test(text))
    return new ChainUnavailable(
      'PRUNED',
      `${name} is a lite node that does not serve ${where}: set openHistoryQueryWhenLiteFN in its configuration, or use a full node`,
    );
  if (/unavailable due to config/i.test(text) || status === 404 || status === 405)
    return new ChainUnavailable('INVALID_RESPONSE', `${name} does not serve ${where}: enable it in its configuration`);
  if (text.trim() === '')
    return new ChainUnavailable('DOWN', `${name} sent an empty response to ${where} (HTTP ${status})`);
  return isSuccess(status)
    ? new ChainUnavailable('INVALID_RESPONSE', `${name} sent no JSON for ${where}`)
    : new ChainUnavailable('DOWN', `${name} responded to ${where} with HTTP ${status}`);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
