import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const source = path.join(import.meta.dirname, '..');
/** They look like a button, an item of a menu, or the logo, and show the pointer in another way. */
const buttons = [
  'app/layout/side-menu.module.css',
  'app/layout/top-bar.module.css',
  'ui/plain.module.css',
  'ui/visitor-frame.module.css',
];

it('links without a line get one under the pointer', () => {
  const styles = fs.globSync('**/*.css', { cwd: source });
  expect(styles.length).toBeGreaterThan(80);
  const silent = styles.filter((file) => {
    const text = fs.readFileSync(path.join(source, file), 'utf8');
    return text.includes('text-decoration: none') && !/:hover[^{]*\{[^}]*text-decoration: underline/.test(text);
  });
  expect(silent.toSorted()).toEqual(buttons);
});
