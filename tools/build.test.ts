import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildChanged, hashSources } from './build.mjs';
import { temporaryDirectory } from './temporary-directory.ts';

function checkout() {
  const root = temporaryDirectory();
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  };
  write('gateway/src/main.ts', 'one');
  write('contract/src/units.ts', 'one');
  return { root, write, hash: () => hashSources(root, 'gateway') };
}

it('builds for production, whoever asks, and again only after a change', () => {
  expect(process.env['NODE_ENV']).toBe('test');
  const { root, write } = checkout();
  const build = 'mkdir -p dist && echo "$NODE_ENV" >> dist/modes';
  write('gateway/package.json', JSON.stringify({ scripts: { build } }));
  const modes = () => fs.readFileSync(path.join(root, 'gateway/dist/modes'), 'utf8');
  for (const _ of [1, 2]) buildChanged(root, ['gateway']);
  expect(modes()).toBe('production\n');
  write('gateway/src/main.ts', 'two');
  buildChanged(root, ['gateway']);
  expect(modes()).toBe('production\nproduction\n');
});

describe('the hash of the sources', () => {
  it.each([
    ['its source', 'gateway/src/main.ts'],
    ['the contract', 'contract/src/units.ts'],
    ['the lock file', 'package-lock.json'],
    ['how it is built', 'tools/build.mjs'],
    ['a new file', 'gateway/src/limits.ts'],
  ])('changes with %s', (_, file) => {
    const { write, hash } = checkout();
    const before = hash();
    write(file, 'two');
    expect(hash()).not.toBe(before);
  });

  it.each(['gateway/src/main.test.ts', 'gateway/dist/main.js', 'gateway/node_modules/a/index.js', 'api/src/app.ts'])(
    'stays with %s',
    (file) => {
      const { write, hash } = checkout();
      const before = hash();
      write(file, 'two');
      expect(hash()).toBe(before);
    },
  );
});
