import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { refusedLicences, type LockedPackage } from './licences.ts';

const lockFile = fileURLToPath(new URL('../package-lock.json', import.meta.url));

describe('licences of production dependencies', () => {
  it('are all on the list, for every platform', () => {
    const { packages } = JSON.parse(fs.readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockedPackage> };
    expect(Object.keys(packages).length).toBeGreaterThan(200);
    expect(refusedLicences(packages)).toEqual([]);
  });

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC', '(BSD-2-Clause)'])('may be %s', (license) => {
    expect(refusedLicences({ 'node_modules/some': { license } })).toEqual([]);
  });

  it.each([
    'GPL-3.0-only',
    'AGPL-3.0-or-later',
    'MIT AND GPL-3.0-only',
    'SEE LICENSE IN LICENSE',
    'UNLICENSED',
    '((MIT))',
  ])('may not be %s', (license) => {
    expect(refusedLicences({ 'node_modules/@a/some': { license } })).toEqual([`@a/some: ${license}`]);
  });

  it('are required at every depth, except for build tools and workspaces', () => {
    expect(
      refusedLicences({
        '': {},
        api: {},
        'node_modules/@cellhop/api': { link: true },
        'node_modules/builder': { license: 'GPL-3.0-only', dev: true },
        'node_modules/one/node_modules/two': {},
      }),
    ).toEqual(['two: no licence']);
  });
});
