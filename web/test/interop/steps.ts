import { expect } from 'vitest';
import type { Browser } from './browsers.ts';

const STEP_MS = 30_000;

export const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/** What a user does, by elements that have the same names in each language. @param origin of the product */
export function createSteps(browser: Browser, origin: string) {
  const until = (condition: string) =>
    expect
      .poll(() => browser.evaluate(`!!(${condition})`).catch(() => false), { timeout: STEP_MS, message: condition })
      .toBe(true);
  /** A navigation that the page has begun itself may interrupt this one. */
  const navigate = (url: string) =>
    expect
      .poll(() => browser.open(`${origin}${url}`).then(() => 'opened', String), { timeout: STEP_MS })
      .toBe('opened');
  return {
    /** Forgets the user, on a file of the same origin without scripts. */
    forget: async () => {
      await navigate('/favicon.svg');
      await browser.evaluate('(localStorage.clear(), sessionStorage.clear(), true)');
    },
    until,
    navigate,
    open: async (url: string) => {
      await navigate(url);
      await until(`document.querySelector('h1')`);
    },
    click: async (target: string) => {
      await until(target);
      await browser.evaluate(`${target}.click()`);
    },
    /** As typing does: React listens to the event. */
    fill: async (field: string, value: string) => {
      const input = element(`form [name="${field}"]`);
      await until(input);
      await browser.evaluate(`((input) => {
        const { prototype } = input.constructor;
        Object.getOwnPropertyDescriptor(prototype, 'value').set.call(input, ${JSON.stringify(value)});
        input.dispatchEvent(new Event('input', { bubbles: true }));
        return true;
      })(${input})`);
    },
  };
}
