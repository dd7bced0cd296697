import { enter, expect, test } from './product.ts';

/** The name of the focused element; that of the body is none. */
const FOCUSED = () => {
  const { activeElement } = document;
  return activeElement === document.body
    ? 'BODY'
    : (activeElement?.getAttribute('aria-label') ?? activeElement?.textContent);
};

test('a purchase by keyboard leaves the focus in the list when the dialog has closed and the proxy is gone from it', async ({
  page,
}) => {
  await enter(page, '/proxies', 'user@example.com', 'demo-password');
  const table = page.getByRole('main').getByRole('table');
  const offers = table.getByRole('button', { name: /^Buy / });
  await offers.nth(2).focus();
  const name = (await offers.nth(2).getAttribute('aria-label'))!;
  const next = (await offers.nth(3).getAttribute('aria-label'))!;
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Buy for / }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog.getByText(/^The proxy is yours\./)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(table.getByRole('button', { name, exact: true })).toHaveCount(0);
  await expect.poll(() => page.evaluate(FOCUSED)).toBe(next);
});
