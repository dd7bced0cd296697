/** Reports errors of the web app's code to the operators; not errors of the network or of the API. */
import type { BrowserErrorBody, reportBrowserError } from '@cellhop/contract/browser-errors';
import {
  BROWSER_ERROR_MESSAGE_LENGTH_MAX,
  BROWSER_ERROR_NAME_LENGTH_MAX,
  BROWSER_ERROR_PATH_LENGTH_MAX,
  BROWSER_ERROR_STACK_LENGTH_MAX,
} from '@cellhop/contract/limits';
import { isLoadFailure } from '../loading/load-failure.ts';

// Imports only types and limits from the contract, and calls `fetch` directly, so that the start of the app loads neither
// zod nor the client.
const REPORT_URL: (typeof reportBrowserError)['url'] = '/v1/browser-errors';
/** More reports of one page load add no information. The server also limits the reports of all browsers. */
const MAX_REPORTS_PER_PAGE = 5;

const reported = new Set<string>();

/** Also reports what no error boundary catches: errors in event handlers and unhandled rejections. */
export function watchErrors(): void {
  globalThis.addEventListener('error', ({ error }) => reportError(error));
  globalThis.addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
}

export function reportError(error: unknown): void {
  if (!(error instanceof Error) || isExpected(error)) return;
  const key = `${error.name}: ${error.message}`;
  if (reported.has(key) || reported.size >= MAX_REPORTS_PER_PAGE) return;
  reported.add(key);
  void send(toBody(error));
}

/** The server already knows the errors it returned, and network errors cannot be sent. */
function isExpected(error: Error): boolean {
  return (
    error.name === 'ApiError' || error.name === 'AbortError' || error.name === 'TimeoutError' || isLoadFailure(error)
  );
}

function toBody({ name, message, stack }: Error): BrowserErrorBody {
  return {
    name: name.slice(0, BROWSER_ERROR_NAME_LENGTH_MAX),
    message: withoutQuery(message).slice(0, BROWSER_ERROR_MESSAGE_LENGTH_MAX),
    ...(stack !== undefined && { stack: withoutQuery(stack).slice(0, BROWSER_ERROR_STACK_LENGTH_MAX) }),
    path: location.pathname.slice(0, BROWSER_ERROR_PATH_LENGTH_MAX),
  };
}

/** Search parameters may contain codes. */
function withoutQuery(text: string): string {
  return text.replaceAll(/[?#][^\s)'"]*/g, '');
}

async function send(body: BrowserErrorBody): Promise<void> {
  try {
    await fetch(REPORT_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // The user may leave the broken page immediately.
      keepalive: true,
    });
  } catch {
    // The report is lost without a network.
  }
}
