import { describe, expect, it } from 'vitest';
import { parseCsv, spreadsheetTime, toSpreadsheet } from './spreadsheet.ts';

const columns = [{ header: 'Kind, and more' }, { header: 'Amount', isNumber: true }];

describe('toSpreadsheet', () => {
  it('parts cells by comma and has a point in numbers where English is read', () => {
    expect(toSpreadsheet('en', columns, [['Purchase, 50 MB', '-0.400000']])).toBe(
      '\uFEFF"Kind, and more",Amount\r\n"Purchase, 50 MB",-0.400000\r\n',
    );
  });

  it('parts cells by semicolon and has a comma in numbers where Russian is read', () => {
    expect(toSpreadsheet('ru', columns, [['Покупка; 50 МБ', '-0.400000']])).toBe(
      '\uFEFFKind, and more;Amount\r\n"Покупка; 50 МБ";-0,400000\r\n',
    );
  });

  it('lets no text be taken for a formula, and takes no number for one', () => {
    const texts = ['=1+1', '+7', '-x', '@sum', '\t=1'];
    const written = toSpreadsheet('en', [{ header: 'a' }], [...texts.map((text) => [text]), ['a"b']]);
    expect(written.split('\r\n').slice(1, -1)).toEqual([...texts.map((text) => `'${text}`), '"a""b"']);
  });
});

describe('spreadsheetTime', () => {
  it('is the time on the wall', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5);
    expect(spreadsheetTime(at.toISOString())).toBe('2026-01-02 03:04:05');
  });
});

describe('parseCsv', () => {
  it('reads quotes, empty cells and both ends of lines', () => {
    expect(parseCsv('a,b\r\n1,\r\n"x,""y""\r\nz",2\n')).toEqual([
      ['a', 'b'],
      ['1', ''],
      ['x,"y"\r\nz', '2'],
    ]);
    expect(parseCsv('')).toEqual([]);
  });
});
