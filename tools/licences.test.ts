import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** SPDX identifiers of licences that require no more than a notice; OFL is for fonts. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

interface LockedPackage {
  license?: string;
  /** Used by the build only. */
  dev?: boolean;
  /** A workspace of this repository. */
  link?: boolean;
}

/** `(MIT OR GPL-2.0)` allows a choice. Nested expressions and those with AND are refused, so that a person reviews them. */
const isAllowed = (expression = '') =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => ALLOWED.has(choice));

it('packages that run in production or in browsers have an allowed licence, on every platform', () => {
  const lockFile = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(lockFile) as { packages: Record<string, LockedPackage> };
  const shipped = Object.entries(packages).filter(
    ([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link,
  );
  expect(shipped.length).toBeGreaterThan(100);
  const refused = shipped.filter(([, { license }]) => !isAllowed(license));
  expect(refused.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
});
