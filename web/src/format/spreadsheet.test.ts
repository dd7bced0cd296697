import { describe, expect, it } from 'vitest';
import { csvToSpreadsheet, parseCsv, spreadsheetTime, toSpreadsheet } from './spreadsheet.ts';

const columns = [{ header: 'Kind, and more' }, { header: 'Amount', isNumber: true }];

describe('toSpreadsheet', () => {
  it('uses commas as separators and decimal points in English', () => {
    expect(toSpreadsheet('en', columns, [['Purchase, 50 MB', '-0.400000']])).toBe(
      '\uFEFF"Kind, and more",Amount\r\n"Purchase, 50 MB",-0.400000\r\n',
    );
  });

  it('uses semicolons as separators and decimal commas in Russian', () => {
    expect(toSpreadsheet('ru', columns, [['Покупка; 50 МБ', '-0.400000']])).toBe(
      '\uFEFF"Kind, and more";Amount\r\n"Покупка; 50 МБ";-0,400000\r\n',
    );
  });

  it('escapes formulas, but not numbers', () => {
    const texts = ['=1+1', '+7', '-x', '@sum'];
    const written = toSpreadsheet('en', [{ header: 'a' }], [...texts.map((text) => [text]), ['a"b']]);
    expect(written.split('\r\n').slice(1, -1)).toEqual([...texts.map((text) => `'${text}`), '"a""b"']);
  });
});

describe('csvToSpreadsheet', () => {
  const text = 'id,city,amount,ip\r\n7,Köln,-0.400000,198.18.0.9\r\n8,"\'=1+1; x",,10.0.0.1\r\n';

  it('keeps the separator of English, and adds the byte order mark that Excel needs', () => {
    expect(csvToSpreadsheet('en', text)).toBe(`\uFEFF${text}`);
  });

  it('uses semicolons and decimal commas in Russian, in columns of numbers alone', () => {
    expect(csvToSpreadsheet('ru', text)).toBe(
      '\uFEFFid;city;amount;ip\r\n7;Köln;-0,400000;198.18.0.9\r\n8;"\'=1+1; x";;10.0.0.1\r\n',
    );
  });

  it('is the header alone for a list without rows', () => {
    expect(csvToSpreadsheet('ru', 'id,email\r\n')).toBe('\uFEFFid;email\r\n');
  });
});

describe('spreadsheetTime', () => {
  it('is the local time', () => {
    const at = new Date(2026, 0, 2, 3, 4, 5);
    expect(spreadsheetTime(at.toISOString())).toBe('2026-01-02 03:04:05');
  });
});

describe('parseCsv', () => {
  it('parses quotes, empty cells and both line endings', () => {
    expect(parseCsv('a,b\r\n1,\r\n"x,""y""\r\nz",2\n')).toEqual([
      ['a', 'b'],
      ['1', ''],
      ['x,"y"\r\nz', '2'],
    ]);
    expect(parseCsv('')).toEqual([]);
  });

  it('returns texts without the apostrophe of formulas', () => {
    expect(parseCsv(`'=1+1,-0.35,"'+7,8"\r\n`)).toEqual([['=1+1', '-0.35', '+7,8']]);
  });
});
