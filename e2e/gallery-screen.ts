import type { Page } from '@playwright/test';

/** Replaces a response of the API. OFFLINE: the request fails. PENDING: no response, the page keeps waiting. */
type MockResponse =
  | 'OFFLINE'
  | 'PENDING'
  | {
      status: number;
      /** A function if it contains a future time. */
      json: unknown;
      headers?: Record<string, string>;
    };

/** A screen in one state. */
export interface Screen {
  name: string;
  path: string;
  /** By the end of the URL, for states that are hard to produce otherwise. */
  responses?: Record<string, MockResponse>;
  /** Runs before the screenshot. */
  act?: (page: Page) => Promise<unknown>;
}

export const ok = (json: unknown): MockResponse => ({ status: 200, json });
export const failure: MockResponse = { status: 500, json: {} };

export function refusal(status: number, code: string, message = code): MockResponse {
  return { status, json: { statusCode: status, error: 'Refused', code, message } };
}

interface MockedResponses {
  /** A response never comes: the page never becomes idle. */
  isPending: boolean;
  restore: () => Promise<void>;
}

export async function mockResponses(page: Page, responses: Screen['responses'] = {}): Promise<MockedResponses> {
  for (const [path, response] of Object.entries(responses))
    await page.route(`**${path}`, (route) => {
      if (response === 'PENDING') return undefined;
      if (response === 'OFFLINE') return route.abort();
      const { json, ...rest } = response;
      return route.fulfill({ ...rest, json: typeof json === 'function' ? json() : json });
    });
  return {
    isPending: Object.values(responses).includes('PENDING'),
    restore: async () => {
      for (const path of Object.keys(responses)) await page.unroute(`**${path}`);
    },
  };
}
