import type { Page } from '@playwright/test';
import { expect } from './product.ts';

/** The paths of all screens in the menu of the signed-in user, so that no test lists them. */
export async function menuPaths(page: Page, area: 'customers' | 'staff'): Promise<string[]> {
  // On narrow screens the menu is closed.
  await page.setViewportSize({ width: 1440, height: 900 });
  const links = page.locator(area === 'staff' ? 'aside nav a[href^="/admin"]' : 'aside nav a:not([href^="/admin"])');
  await expect(links.first()).toBeAttached();
  return links.evaluateAll((elements) => elements.map((element) => element.getAttribute('href')!));
}
