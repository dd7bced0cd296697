/** Tells the operators of errors in the web app: those of its code, not those of the network or of the API. */
import type { BrowserErrorBody, reportBrowserError } from '@cellhop/contract/browser-errors';
import {
  BROWSER_ERROR_MESSAGE_LENGTH_MAX,
  BROWSER_ERROR_NAME_LENGTH_MAX,
  BROWSER_ERROR_PATH_LENGTH_MAX,
  BROWSER_ERROR_STACK_LENGTH_MAX,
} from '@cellhop/contract/limits';
import { isLoadFailure } from './load-failure.ts';

// Only types and limits come from the contract, and `fetch` is called directly: the landing page loads neither zod nor the client.
const REPORT_URL: (typeof reportBrowserError)['url'] = '/v1/browser-errors';
/** What repeats itself, or fails again and again, says nothing new. The server samples what all browsers send. */
const REPORTS_OF_PAGE_MAX = 5;

const reported = new Set<string>();

/** Also hears what no boundary catches: errors in event handlers, and promises that nobody waits for. */
export function watchErrors(): void {
  globalThis.addEventListener('error', ({ error }) => reportError(error));
  globalThis.addEventListener('unhandledrejection', ({ reason }) => reportError(reason));
}

export function reportError(error: unknown): void {
  if (!(error instanceof Error) || isExpected(error)) return;
  const key = `${error.name}: ${error.message}`;
  if (reported.has(key) || reported.size >= REPORTS_OF_PAGE_MAX) return;
  reported.add(key);
  void send(bodyOf(error));
}

/** The server knows of its own refusals, and cannot be told that the network is gone. */
function isExpected(error: Error): boolean {
  return (
    error.name === 'ApiError' || error.name === 'AbortError' || error.name === 'TimeoutError' || isLoadFailure(error)
  );
}

function bodyOf({ name, message, stack }: Error): BrowserErrorBody {
  return {
    name: name.slice(0, BROWSER_ERROR_NAME_LENGTH_MAX),
    message: withoutQuery(message).slice(0, BROWSER_ERROR_MESSAGE_LENGTH_MAX),
    ...(stack !== undefined && { stack: withoutQuery(stack).slice(0, BROWSER_ERROR_STACK_LENGTH_MAX) }),
    path: location.pathname.slice(0, BROWSER_ERROR_PATH_LENGTH_MAX),
  };
}

/** Search parameters may hold codes. */
function withoutQuery(text: string): string {
  return text.replaceAll(/[?#][^\s)'"]*/g, '');
}

async function send(body: BrowserErrorBody): Promise<void> {
  try {
    await fetch(REPORT_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // The reader may leave the broken page at once.
      keepalive: true,
    });
  } catch {
    // Whoever cannot be reached cannot be told.
  }
}
