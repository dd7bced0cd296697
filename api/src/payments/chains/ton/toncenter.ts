/** Both versions of toncenter, told apart by the path of the URL. */
import { createHttpTransport } from '../http-transport.ts';
import { parseSourceUrl } from '../source-url.ts';
import { hasIndex } from './toncenter-version.ts';
import type { TonSource } from './source.ts';
import { createV2Source } from './toncenter-v2.ts';
import { createV3Source } from './toncenter-v3.ts';

/** toncenter accepts one request a second without a key, and ten with a free one. */
const REQUESTS_PER_SECOND = 10;
const REQUESTS_PER_SECOND_WITHOUT_KEY = 1;

/** Of a page with large messages. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

export interface SourceOptions {
  timeoutMs?: number | undefined;
  requestsPerSecond?: number | undefined;
}

export function createSource(url: string, { timeoutMs, requestsPerSecond }: SourceOptions): TonSource {
  const { base, headers } = parseSourceUrl(url);
  const isKeyless = Object.keys(headers).length === 0 && base.search === '';
  const isLimited = base.hostname === 'toncenter.com' && isKeyless;
  const perSecond = requestsPerSecond ?? (isLimited ? REQUESTS_PER_SECOND_WITHOUT_KEY : REQUESTS_PER_SECOND);
  const create = hasIndex(url) ? createV3Source : createV2Source;
  return create(createHttpTransport({ url, timeoutMs, responseBytesMax: RESPONSE_BYTES_MAX }), perSecond);
}
