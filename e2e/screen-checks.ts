import { AxeBuilder } from '@axe-core/playwright';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import type { Page } from '@playwright/test';
import { buyProxy, clientAs, expect } from './product.ts';

export const PHONE_WIDTH = 390;
const ALL_WIDTHS = [1440, 768, PHONE_WIDTH, 320];

/** Both languages and both themes: widths depend on the language alone, contrast on the theme alone. */
export const looks = [
  ['en', 'DARK'],
  ['ru', 'LIGHT'],
] as const;

export const publicPages = [
  '/',
  '/ru/',
  '/sign-in',
  '/sign-up?rc=WELCOME',
  '/restore-access',
  '/public-message?message=Hello',
  '/check-receipt',
  '/legal/terms',
  '/legal/imprint',
  '/pricing',
  '/ru/pricing',
  '/locations',
  '/ru/locations',
  '/locations/de',
  '/no-such-page',
];
/** Besides the screens of the menu. */
export const memberPages = [
  '/account',
  '/account#security',
  '/account#alerts',
  '/account#data',
  '/usage?range=day',
  '/payments/invoices?create=true',
  '/transactions?month=2026-11',
  '/support/tickets?create=true',
];

export async function prefer(page: Page, language: string, theme: string): Promise<void> {
  // A page with an open event stream is never idle.
  await page.route(`**${LIVE_EVENTS_PATH}`, (route) => route.abort());
  await page.addInitScript(
    ([languageValue, themeValue]) => {
      localStorage.setItem('language', JSON.stringify(languageValue));
      localStorage.setItem('theme', JSON.stringify(themeValue));
    },
    [language, theme],
  );
}

export async function expectAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    // No page has iframes, so the faster legacy mode is enough; only violations are needed.
    // Not rules of WCAG: all content is in landmarks, and these have different names.
    .options({
      resultTypes: ['violations'],
      rules: { region: { enabled: true }, 'landmark-unique': { enabled: true } },
    })
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
  expect(found).toEqual([]);
}

/**
 * @returns the words of table headers that are broken into two lines, the texts of cells that are too wide for their column and of tables that
 * are too wide for their place, and cut titles and texts of buttons
 */
export function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const range = document.createRange();
    const broken = [...document.querySelectorAll('th')].flatMap((header) => {
      const texts = document.createTreeWalker(header, NodeFilter.SHOW_TEXT);
      const words: string[] = [];
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        // A break after a hyphen is no mistake.
        for (const { 0: word, index } of text.data.matchAll(/[^\s-]+/g)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) words.push(word);
        }
      }
      return words;
    });
    const wide = [...document.querySelectorAll('td')].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    const cut = [...document.querySelectorAll('h1')].filter((title) => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = title;
      return (
        getComputedStyle(title).overflow !== 'visible' && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1)
      );
    });
    const cutButtons = [...document.querySelectorAll('.mantine-Button-label')].filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    );
    // Pages of visitors clip what is too wide, so that they do not scroll.
    const wideTables = [...document.querySelectorAll('main table')].filter(
      ({ parentElement, scrollWidth }) =>
        scrollWidth > parentElement!.clientWidth && getComputedStyle(parentElement!).overflowX === 'visible',
    );
    return [...broken, ...[...wide, ...cut, ...cutButtons, ...wideTables].map(({ textContent }) => textContent)];
  });
}

/** At any width, a page does not scroll horizontally, no dialog is cut, the columns of its tables are wide enough, its title is shown in full, and rows are short. */
export async function expectFits(page: Page, where: string, widths = ALL_WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    // In the frame of the change, tables and floating elements still have the layout of the width before, which may be good.
    await nextFrames(page);
    // Polled: cards replace a table some renders later.
    const excess = () =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        // The page behind an open dialog does not scroll, so a dialog that is too wide is cut.
        const edges = [...document.querySelectorAll('[role=dialog]')].map((dialog) => {
          const { left, right } = dialog.getBoundingClientRect();
          return Math.max(-left, right - clientWidth);
        });
        return Math.max(scrollWidth - clientWidth, ...edges.map(Math.ceil));
      });
    // Rows of lists have two lines on a phone: no card has fields.
    const fields = () => page.locator('main ul[aria-busy] > li > dl').count();
    const measure = async () => ({ excess: await excess(), misfits: await misfits(page), fields: await fields() });
    await expect.poll(measure, `${where} at ${width}`).toEqual({ excess: 0, misfits: [], fields: 0 });
  }
}

function nextFrames(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** @returns accessible names and descriptions of elements with another amount than the one that they show */
function foreignAmounts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // oxlint-disable-next-line unicorn/consistent-function-scoping
    const amountsOf = (text: string | null): string[] =>
      [...(text?.matchAll(/\$\d[\d\s.,]*\d/g) ?? [])].map(([amount]) => amount);
    return [...document.querySelectorAll<HTMLElement>('[aria-label], :is(a, button, [tabindex])[title]')].flatMap(
      (element) => {
        const shown = amountsOf(element.textContent);
        const said = ['aria-label', 'title'].flatMap((name) => amountsOf(element.getAttribute(name)));
        return shown.length === 0 ? [] : said.filter((amount) => !shown.includes(amount));
      },
    );
  });
}

/** Tests that use it have the tag `@long`: `npm run test:long` repeats them with axe and at all widths, `npm test` looks at a phone's alone. */
export async function expectGood(page: Page, where: string): Promise<void> {
  const isLong = process.env['TEST_LONG'] === '1';
  if (isLong) await expectAccessible(page, where);
  await expectFits(page, where, isLong ? ALL_WIDTHS : [PHONE_WIDTH]);
  expect(await foreignAmounts(page), `${where}: amounts that are not read as they are shown`).toEqual([]);
}

/**
 * @returns texts of rows, cards and facts that cover a neighbour, or that are beside each other in another order than in the page,
 * because one of them runs from right to left
 */
export function collisions(page: Page): Promise<string[]> {
  // The browser gets only this function, so all others are inside.
  /* oxlint-disable unicorn/consistent-function-scoping */
  return page.evaluate(() => {
    interface Line {
      text: Text;
      box: DOMRect;
    }

    function linesOf(row: Element): Line[] {
      const range = document.createRange();
      const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      const lines: Line[] = [];
      while (texts.nextNode()) {
        const text = texts.currentNode as Text;
        // Of what is out of view, the browser keeps the layout of the width before.
        if (text.data.trim() === '' || !text.parentElement!.checkVisibility({ contentVisibilityAuto: true })) continue;
        // The buttons of a row stay in view above columns that scroll.
        const cell = text.parentElement!.closest('td');
        if (cell !== null && getComputedStyle(cell).position === 'sticky') continue;
        range.selectNodeContents(text);
        for (const box of range.getClientRects()) lines.push({ text, box: clip(box, text.parentElement!) });
      }
      return lines.filter(({ box }) => box.width > 0 && box.height > 0);
    }

    /** The part of a text that is not cut off. */
    function clip(box: DOMRect, from: Element): DOMRect {
      let { left, right } = box;
      for (let element: Element | null = from; element !== null; element = element.parentElement) {
        if (getComputedStyle(element).overflowX === 'visible') continue;
        const edge = element.getBoundingClientRect();
        left = Math.max(left, edge.left);
        right = Math.min(right, edge.right);
      }
      return new DOMRect(left, box.top, Math.max(0, right - left), box.height);
    }

    function paragraphOf({ parentElement }: Text): Element | null {
      let element = parentElement;
      while (element !== null && getComputedStyle(element).display === 'inline') element = element.parentElement;
      return element;
    }

    const isOver = (one: DOMRect, other: DOMRect) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
    const isBefore = (one: Line, other: Line) =>
      paragraphOf(one.text) === paragraphOf(other.text) &&
      Math.abs(one.box.top - other.box.top) < 4 &&
      one.box.left > other.box.left + 1;

    return [...document.querySelectorAll('main :is(tbody tr, ul > li), [role=dialog] dl')].flatMap((row) => {
      const lines = linesOf(row);
      return lines.flatMap((one, index) =>
        lines
          .slice(index + 1)
          .filter((other) => other.text !== one.text && (isOver(one.box, other.box) || isBefore(one, other)))
          .map((other) => `${one.text.data} | ${other.text.data}`),
      );
    });
  });
  /* oxlint-enable unicorn/consistent-function-scoping */
}

/** Opens a page, and waits for its data. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
}

export async function inspect(page: Page, path: string): Promise<void> {
  await visit(page, path);
  await expectGood(page, path);
}

/** Changes the rows of a list on their way to the browser. */
export async function changeRows(page: Page, url: RegExp, change: (rows: object[]) => object[]): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { data: object[] };
    await route.fulfill({ response, json: { ...list, data: change(list.data) } });
  });
}

/** So that the lists of connections have a row: without one they are no tables. */
export async function buyAsUser(url: string): Promise<void> {
  await buyProxy(await clientAs('user@example.com', url));
}
