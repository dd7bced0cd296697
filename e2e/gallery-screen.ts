import type { Page } from '@playwright/test';

/** One entry of the gallery. */
export interface Screen {
  name: string;
  path: string;
  /** Answers of the API, by the end of their address. */
  answers?: Record<string, Answer>;
  /** What to do before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}

/** What brings a screen into a state that is hard to bring about; null: no answer comes, and it goes on loading. */
export type Answer = { status: number; json: unknown } | null;

export const ok = (json: unknown): Answer => ({ status: 200, json });
export const failure: Answer = { status: 500, json: {} };

/** @returns whether all of them come */
export async function answerWith(page: Page, answers: Record<string, Answer>): Promise<boolean> {
  for (const [address, answer] of Object.entries(answers))
    await page.route(`**${address}`, (route) => (answer === null ? undefined : route.fulfill(answer)));
  return !Object.values(answers).includes(null);
}

export async function stopAnswering(page: Page, answers: Record<string, Answer>): Promise<void> {
  for (const address of Object.keys(answers)) await page.unroute(`**${address}`);
}
