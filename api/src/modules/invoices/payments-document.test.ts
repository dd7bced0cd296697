/** The tests that docs/payments.md names for hard cases exist. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTables } from '../../../test/markdown-tables.ts';

const { rows } = readTables('docs/payments.md').find(({ section }) => section === 'Hard cases and their tests')!;

const files = new Map(
  ['api/src', 'api/test']
    .flatMap((folder) =>
      fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .map((file) => [path.basename(file), file]),
);

describe('the table of hard cases', () => {
  test('has the cases', () => expect(rows.length).toBeGreaterThan(30));

  test.each(rows.map((row) => [row['What happens']!, row['Test']!.replaceAll('`', ''), row['Title']!]))(
    '%s: %s',
    (_case, name, title) => {
      const file = files.get(name);
      expect(file).toBeDefined();
      expect(fs.readFileSync(file!, 'utf8')).toContain(title);
    },
  );
});
