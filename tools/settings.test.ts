import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadOrCreateSecrets } from './settings.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

describe('secrets', () => {
  it('keeps the secrets it created, in a file that only its owner can read', () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const secrets = loadOrCreateSecrets(dataDir);
    expect(secrets.SECRET_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.GATEWAY_TOKEN).not.toBe(secrets.SECRET_KEY);
    expect(loadOrCreateSecrets(dataDir)).toEqual(secrets);
    expect(fs.statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('creates different secrets for another checkout', () => {
    expect(loadOrCreateSecrets(temporaryDirectory())).not.toEqual(loadOrCreateSecrets(temporaryDirectory()));
  });

  it('does not replace a damaged file, which would lose the old key', () => {
    const dataDir = temporaryDirectory();
    fs.writeFileSync(path.join(dataDir, 'secrets.json'), '{"SECRET_KEY":');
    expect(() => loadOrCreateSecrets(dataDir)).toThrow('is damaged');
  });
});
