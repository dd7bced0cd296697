import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvCell, fromCsvCell } from './csv.values.ts';

test.each([
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+Móvil', "'+Móvil"],
  ['-1', "'-1"],
  ['@Home', "'@Home"],
  ['＝1+1', "'＝1+1"],
  ["'=1", "''=1"],
  ['\t=1', `"\t'=1"`],
  ['a\r\n=1', `"a\r\n'=1"`],
  // Split by a spreadsheet that expects semicolons.
  ['a;=1+1', `"a;'=1+1"`],
  ['a;"=1+1"', `"a;""'=1+1"""`],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['-', '-'],
  ['a-b', 'a-b'],
  ["it's", "it's"],
  ["'quoted'", "'quoted'"],
])('%j is the cell %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

const unquoted = (cell: string) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
const nastyText = fc.string({ unit: fc.constantFrom(...`=+-@＝－'",;\t\r\n a`.split('')), maxLength: 12 });

test('a cell is read as its text, and no spreadsheet finds a formula in it, regardless of its delimiter', () => {
  fc.assert(
    fc.property(nastyText, (text) => {
      const cell = csvCell(text);
      expect(fromCsvCell(unquoted(cell))).toBe(text);
      for (const part of unquoted(cell).split(/[,;\t\r\n"]/)) expect(part).not.toMatch(/^(?:[=+@＝]|[-－].)/su);
    }),
    { numRuns: 2000 },
  );
});
