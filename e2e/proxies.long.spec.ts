import type { Locator } from '@playwright/test';
import { enter, expect, test } from './product.ts';

const CATALOGUE = /\/v1\/proxies(?:\?|$)/;
const FILTER = '**/v1/proxies/filter';

test('no layout shift while the catalogue loads, in any order of its responses, nor on the way to usage', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries() as (PerformanceEntry & { value: number })[]) shifts.push(value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const rows = page.getByRole('region', { name: 'Available proxies' }).getByRole('row');
  const sumOfShifts = async () => {
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
    return moved.reduce((sum, shift) => sum + shift, 0);
  };
  const meanwhile: [string | RegExp, () => Promise<void>][] = [
    [CATALOGUE, () => expect(rows).toHaveCount(1 + 5)],
    [FILTER, () => expect(rows).toHaveCount(1 + 50)],
    ['**/v1/profile', () => expect(page.getByRole('status', { name: 'Loading' })).toBeVisible()],
  ];
  for (const [last, expectRest] of meanwhile) {
    const responses: (() => void)[] = [];
    const responded = new Promise<void>((resolve) => responses.push(resolve));
    await page.route(last, (route) => responded.then(() => route.continue()));
    await page.reload();
    await expectRest();
    for (const respond of responses) respond();
    await expect(rows).toHaveCount(1 + 50);
    await expect(page.getByRole('form', { name: 'Filter' })).toHaveAttribute('aria-busy', 'false');
    expect(await sumOfShifts()).toBeLessThan(0.001);
    await page.unroute(last);
  }

  await page.setViewportSize({ width: 390, height: 844 });
  const responses: (() => void)[] = [];
  const responded = new Promise<void>((resolve) => responses.push(resolve));
  await page.route('**/v1/usage?*', (route) => responded.then(() => route.continue()));
  await page.goto('/usage');
  await expect(page.getByRole('heading', { name: 'Spending' })).toBeVisible();
  for (const respond of responses) respond();
  await expect(page.getByRole('slider', { name: 'Spending' })).toBeVisible();
  expect(await sumOfShifts()).toBe(0);
});

test('on a phone cards below the screen are not laid out until they are near', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const cards = page.getByRole('list', { name: 'Available proxies' }).getByRole('listitem');
  await expect(cards).toHaveCount(50);
  const { height } = (await cards.first().boundingBox())!;
  expect(await isLaidOut(cards.first())).toBe(true);
  expect(await isLaidOut(cards.last())).toBe(false);
  // The estimate is exact, so the scroll bar does not jump.
  expect((await cards.last().boundingBox())!.height).toBeCloseTo(height, 0);
  await cards.last().scrollIntoViewIfNeeded();
  await expect.poll(() => isLaidOut(cards.last())).toBe(true);
});

test('on a phone each card is rendered once, not again in each further step', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    const counted = { renders: 0 };
    Object.assign(globalThis, { counted });
    const replace = Object.getOwnPropertyDescriptor(String.prototype, 'replace')!.value as Function;
    Object.assign(String.prototype, {
      replace(this: string, pattern: string, replacement: string) {
        // Each render of a card puts its address into the label of Buy, in place of this character.
        if (pattern === '\u{FFFC}') counted.renders++;
        return Reflect.apply(replace, this, [pattern, replacement]) as string;
      },
    });
  });
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  await expect(page.getByRole('list', { name: 'Available proxies' }).getByRole('listitem')).toHaveCount(50);
  const renders = await page.evaluate(
    () => (globalThis as unknown as { counted: { renders: number } }).counted.renders,
  );
  expect(renders).toBeGreaterThanOrEqual(50);
  // Otherwise there would be about 250. React may repeat a step that is interrupted.
  expect(renders).toBeLessThan(100);
});

test('a flag opens its tooltip when the mouse moves to it, not when it appears under a resting mouse', async ({
  page,
}) => {
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const flag = page.locator('main tbody img').first();
  const tooltip = page.getByRole('tooltip');
  const { x, y } = (await flag.boundingBox())!;
  await page.mouse.move(x + 4, y + 4, { steps: 3 });
  await expect(tooltip).toBeVisible();
  await page.mouse.move(x + 4, 10, { steps: 3 });
  await expect(tooltip).toBeHidden();

  await page.getByRole('link', { name: 'FAQ' }).press('Enter');
  // The app moves the focus to the new page; a key that is pressed before would be lost.
  await expect(page.getByRole('main', { name: 'FAQ' })).toBeFocused();
  await page.mouse.move(x + 4, y + 4, { steps: 3 });
  await page.getByRole('link', { name: 'Proxies' }).first().press('Enter');
  await expect(flag).toBeVisible();
  // Browsers send this event after a layout change even if the mouse has not moved.
  await page.mouse.move(x + 4, y + 4);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(tooltip).toHaveCount(0);
  await page.mouse.move(x + 6, y + 5);
  await expect(tooltip).toBeVisible();
});

function isLaidOut(card: Locator): Promise<boolean> {
  return card.evaluate((item) => item.firstElementChild!.checkVisibility({ contentVisibilityAuto: true }));
}
