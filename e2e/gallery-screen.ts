import type { Page } from '@playwright/test';

interface Answer {
  status: number;
  /** A function where it tells of a moment to come. */
  json: object | (() => object);
}

/** What one picture shows. */
export interface Screen {
  name: string;
  path: string;
  /** By address, in place of the server's own; NONE is a network that does not answer. */
  answers?: Record<string, Answer | 'NONE'>;
  /** What to do before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}

export function refusal(status: number, code: string): Answer {
  return { status, json: { statusCode: status, error: 'Refused', code, message: code } };
}

/** @returns takes the answers back */
export async function playAnswers(page: Page, answers: Screen['answers'] = {}): Promise<() => Promise<void>> {
  for (const [path, answer] of Object.entries(answers))
    await page.route(`**${path}`, (route) => {
      if (answer === 'NONE') return route.abort();
      const { status, json } = answer;
      return route.fulfill({ status, json: typeof json === 'function' ? json() : json });
    });
  return async () => {
    for (const path of Object.keys(answers)) await page.unroute(`**${path}`);
  };
}
