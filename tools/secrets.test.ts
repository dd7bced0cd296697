import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadOrMakeSecrets } from './secrets.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

describe('secrets', () => {
  it('keeps what it made, readable for its owner alone', () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    const secrets = loadOrMakeSecrets(dataDir);
    expect(secrets.SECRET_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.GATEWAY_TOKEN).not.toBe(secrets.SECRET_KEY);
    expect(loadOrMakeSecrets(dataDir)).toEqual(secrets);
    expect(fs.statSync(path.join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('makes other ones for another checkout', () => {
    expect(loadOrMakeSecrets(temporaryDirectory())).not.toEqual(loadOrMakeSecrets(temporaryDirectory()));
  });

  it('does not replace a damaged file, because that would lose the old key', () => {
    const dataDir = temporaryDirectory();
    fs.writeFileSync(path.join(dataDir, 'secrets.json'), '{"SECRET_KEY":');
    expect(() => loadOrMakeSecrets(dataDir)).toThrow('is damaged');
  });
});
