import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const components = fs
  .readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'));

const IMPORT = /import (\w+) from '(\.[^']+\.module\.css)'/g;

/** The names that a component reads from a CSS module, also those between which an expression chooses. */
function readNames(code: string, module: string): string[] {
  const reads = code.matchAll(new RegExp(`\\b${module}\\[([^\\]]+)\\]`, 'g'));
  return [...reads].flatMap(([, key = '']) => [...key.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name));
}

test('each class that a component uses is in its CSS module', () => {
  const uses = components.flatMap((component) => {
    const code = fs.readFileSync(path.join(root, component), 'utf8');
    return [...code.matchAll(IMPORT)].flatMap(([, module = '', file = '']) => {
      const styles = fs.readFileSync(path.join(root, path.dirname(component), file), 'utf8');
      return readNames(code, module).map((name) => ({ component, name, isThere: hasClass(styles, name) }));
    });
  });
  expect(uses.length).toBeGreaterThan(300);
  expect(uses.filter(({ isThere }) => !isThere)).toEqual([]);
});

function hasClass(styles: string, name: string): boolean {
  return new RegExp(`\\.${name}(?![\\w-])`).test(styles);
}
