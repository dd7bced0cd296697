import { staffStates } from './gallery-staff.ts';
import { menuPaths } from './menu.ts';
import { enter, test } from './product.ts';
import { inspect, looks, prefer } from './screen-checks.ts';

for (const [language, theme] of looks)
  test(`screens of staff are accessible and fit, ${language}, ${theme}`, async ({ page }) => {
    await prefer(page, language, theme);
    await enter(page, '/admin', 'admin@example.com', 'demo-password');
    for (const path of [...(await menuPaths(page, 'staff')), ...staffStates.map((state) => state.path)])
      await inspect(page, path);
  });
