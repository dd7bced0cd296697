import type { Page } from '@playwright/test';

/** In place of the server's own. OFFLINE: the network does not answer. PENDING: nothing comes, the page goes on waiting. */
type Answer =
  | 'OFFLINE'
  | 'PENDING'
  | {
      status: number;
      /** A function where it tells of a moment to come. */
      json: unknown;
      headers?: Record<string, string>;
    };

/** What one picture shows. */
export interface Screen {
  name: string;
  path: string;
  /** By the end of their address; they bring about what is hard to bring about otherwise. */
  answers?: Record<string, Answer>;
  /** What to do before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}

export const ok = (json: unknown): Answer => ({ status: 200, json });
export const failure: Answer = { status: 500, json: {} };

export function refusal(status: number, code: string, message = code): Answer {
  return { status, json: { statusCode: status, error: 'Refused', code, message } };
}

interface Played {
  /** Some answer never comes: the page will not come to rest. */
  isPending: boolean;
  takeBack: () => Promise<void>;
}

export async function playAnswers(page: Page, answers: Screen['answers'] = {}): Promise<Played> {
  for (const [path, answer] of Object.entries(answers))
    await page.route(`**${path}`, (route) => {
      if (answer === 'PENDING') return undefined;
      if (answer === 'OFFLINE') return route.abort();
      const { json, ...rest } = answer;
      return route.fulfill({ ...rest, json: typeof json === 'function' ? json() : json });
    });
  return {
    isPending: Object.values(answers).includes('PENDING'),
    takeBack: async () => {
      for (const path of Object.keys(answers)) await page.unroute(`**${path}`);
    },
  };
}
