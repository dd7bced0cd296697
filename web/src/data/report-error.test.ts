import { reportBrowserError } from '@cellhop/contract/browser-errors';
import { ApiError } from '@cellhop/contract/client';
import {
  BROWSER_ERROR_MESSAGE_LENGTH_MAX,
  BROWSER_ERROR_NAME_LENGTH_MAX,
  BROWSER_ERROR_PATH_LENGTH_MAX,
  BROWSER_ERROR_STACK_LENGTH_MAX,
} from '@cellhop/contract/limits';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const sent: unknown[] = [];

/** Each page load starts with fresh modules. */
async function openPage() {
  vi.resetModules();
  return import('./report-error.ts');
}

beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal('location', { pathname: `/${'p'.repeat(300)}` });
  vi.stubGlobal('fetch', (_url: string, { body }: { body: string }) => {
    sent.push(reportBrowserError.body.parse(JSON.parse(body)));
    return Promise.reject(new TypeError('Failed to fetch'));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('reports an error within the bounds of the API, without search parameters', async () => {
  const { reportError } = await openPage();
  const error = new Error(`at /restore?code=secret ${'m'.repeat(5000)}`);
  error.name = 'n'.repeat(200);
  error.stack = 's'.repeat(5000);
  reportError(error);
  expect(sent).toEqual([
    {
      name: 'n'.repeat(BROWSER_ERROR_NAME_LENGTH_MAX),
      message: `at /restore ${'m'.repeat(5000)}`.slice(0, BROWSER_ERROR_MESSAGE_LENGTH_MAX),
      stack: 's'.repeat(BROWSER_ERROR_STACK_LENGTH_MAX),
      path: `/${'p'.repeat(300)}`.slice(0, BROWSER_ERROR_PATH_LENGTH_MAX),
    },
  ]);
});

it('reports the same error once, and at most five per page', async () => {
  const { reportError } = await openPage();
  for (const number of [1, 1, 2, 3, 4, 5, 6, 7]) reportError(new Error(`mistake ${number}`));
  expect(sent).toHaveLength(5);
});

it('does not report errors of the API or the network, nor other values', async () => {
  const { reportError } = await openPage();
  reportError(new ApiError(500, 'INTERNAL', 'Internal server error'));
  reportError(new DOMException('The user aborted a request', 'AbortError'));
  reportError(new TypeError('Failed to fetch dynamically imported module: /assets/x.js'));
  reportError(undefined);
  expect(sent).toEqual([]);
});
