import fs from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from './registry.ts';

/** What tools/command.mjs does itself. */
const TOOLS = ['start', 'test', 'test:long', 'test:slow', 'check'];

test('each command has a script in package.json, apart from the migration, which the start runs', () => {
  const { scripts } = JSON.parse(fs.readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const called = Object.entries(scripts).flatMap(([name, script]) =>
    script === `exec sh tools/command.sh ${name}` ? [name] : [],
  );
  const expected = commands.map(({ name }) => name).filter((name) => name !== 'migrate');
  expect(new Set(called)).toEqual(new Set([...TOOLS, ...expected]));
});
