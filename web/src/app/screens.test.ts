import { expect, it } from 'vitest';
import { memberScreens, publicScreens, visitorScreens } from './screens.ts';
import { staffScreens } from './staff/staff-screens.ts';

it('has each path once', () => {
  const paths = [...publicScreens, ...visitorScreens, ...memberScreens, ...staffScreens].map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
});
