import { expect, it } from 'vitest';
import { screens } from './screens.ts';

it('has each path and each page once', () => {
  for (const values of [screens.map(({ path }) => path), screens.map(({ name }) => name)])
    expect(new Set(values).size).toBe(values.length);
});
