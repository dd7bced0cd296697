import { expect, test } from 'vitest';
import { countryName } from './view.ts';

test('names countries as the app does: in Russian with ё', () => {
  expect(countryName('ru', 'US')).toBe('Соединённые Штаты');
  expect(countryName('en', 'US')).toBe('United States');
  expect(countryName('en', '__')).toBe('__');
});
