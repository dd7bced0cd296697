import type { Page } from '@playwright/test';
import { staffStates } from './gallery-staff.ts';
import { menuPaths } from './menu.ts';
import { enter, expect, test } from './product.ts';
import { memberPages, prefer, publicPages, visit } from './screen-checks.ts';

/** Safari on iOS zooms into fields with smaller text when they get the focus, and does not zoom out again. */
const TEXT_MIN_PX = 16;
const NOT_TYPED = ['checkbox', 'file', 'hidden', 'radio', 'range'];
const DEVICES = [
  { width: 820, height: 1180 },
  { width: 1024, height: 1366 },
  { width: 844, height: 390 },
];
const SHOWN_FIELDS = `input:not(${NOT_TYPED.map((type) => `[type=${type}]`).join()}, [hidden]), select, textarea`;

test.use({ hasTouch: true, isMobile: true });

/** @returns the fields with smaller text, by device */
async function smallFields(page: Page, path: string): Promise<string[]> {
  await visit(page, path);
  const found: string[] = [];
  for (const device of DEVICES) {
    await page.setViewportSize(device);
    const sizes = await page.locator(SHOWN_FIELDS).evaluateAll((fields) =>
      fields.map((field) => {
        const { id, name, type, ariaLabel } = field as HTMLInputElement;
        const label = document.querySelector(`label[for="${CSS.escape(id)}"]`)?.textContent;
        return { field: label ?? ariaLabel ?? (name || type), px: Number.parseFloat(getComputedStyle(field).fontSize) };
      }),
    );
    for (const { field, px } of sizes)
      if (px < TEXT_MIN_PX) found.push(`${path} at ${device.width}: ${field}, ${px} px`);
  }
  return found;
}

test('fields of touch devices have text of at least 16 pixels at every width', async ({ page }) => {
  await prefer(page, 'en', 'DARK');
  const found: string[] = [];
  const look = async (paths: readonly string[]) => {
    for (const path of paths) found.push(...(await smallFields(page, path)));
  };
  await look(publicPages);
  await enter(page, '/admin', 'admin@example.com', 'demo-password');
  await look([...(await menuPaths(page, 'customers')), ...memberPages]);
  await look([...(await menuPaths(page, 'staff')), ...staffStates.map(({ path }) => path)]);
  expect(found).toEqual([]);
});
