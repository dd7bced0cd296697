/** @module-tag thorough */
import { IMPORT_ROWS_MAX } from '@cellhop/contract/limits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { decode } from './import-encoding.ts';
import { readCsv, readJson, RECORD_CHARACTERS_MAX } from './import-files.ts';
import { type ImportRow, readRows } from './import-rows.ts';
import { COLUMNS_MAX } from './import-table.ts';

const HEADER = importColumns.join(',');
const LINE = '192.0.2.1,0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,local-address,';
const ROW = {
  ip: '192.0.2.1',
  priceMicros: 800_000n,
  countryCode: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  zip: '10115',
  isp: 'Telekom',
  asn: null,
  connectionType: 'LTE',
  nodeId: 'id-of-paris',
  exitKind: 'local-address',
  portRule: null,
  tunnelsMax: null,
  bytesPerSecondMax: null,
  exit: { key: 'local-address://', parameters: { address: null } },
  rotation: null,
  line: expect.any(Number) as number,
};
const nodes = new Map([['paris', 'id-of-paris']]);

function read(text: string, format: 'csv' | 'json' = 'csv'): (ImportRow | ImportError)[] {
  return [...readRows(format, text, nodes)].filter((item) => item !== null);
}

const table = (...lines: string[]) => read([HEADER, ...lines].join('\n'));
const importError = (line: number, column: string | null, problem: string, value: string | null = null) => ({
  line,
  column,
  problem,
  value,
});

describe('a CSV file', () => {
  test('is read with LF, CRLF, a byte order mark, empty lines and columns in any order', () => {
    expect(table(LINE)).toEqual([ROW]);
    const windows = decode(Buffer.from(`\uFEFF${HEADER}\r\n${LINE}\r\n\r\n`));
    expect(read(windows as string)).toEqual([ROW]);
    const reversed = importColumns.toReversed().join(',');
    expect(read(`${reversed}\n${LINE.split(',').toReversed().join(',')}`)).toEqual([ROW]);
  });

  test('may have quoted commas, quotes and line breaks, which count as lines', () => {
    const [first, second] = table(
      LINE.replace('Telekom', '"Telekom, ""DE"""'),
      `"192.0.2.2",0.8,DE,Berlin,"Ber\nlin",10115,Telekom,LTE,paris,local-address,`,
      'too,short',
    ).slice(0, 2);
    expect(first).toMatchObject({ isp: 'Telekom, "DE"' });
    expect(second).toEqual(importError(3, 'city', 'INVALID_TEXT'));
    expect(table(`"192.0.2.2",0.8,DE,Berlin,"Ber\nlin"`, 'short')).toEqual([
      importError(2, null, 'WRONG_FIELD_COUNT', '5'),
      importError(4, null, 'WRONG_FIELD_COUNT', '1'),
    ]);
  });

  test.each([
    ['', [importError(1, null, 'EMPTY_FILE')]],
    [HEADER, [importError(1, null, 'NO_ROWS')]],
    [
      `${HEADER.replace('isp', 'ISP').replace(',zip', ',ip')}\n${LINE}`,
      [
        importError(1, 'isp', 'MISSING_COLUMN'),
        importError(1, null, 'UNKNOWN_COLUMN', '7'),
        importError(1, 'ip', 'DUPLICATE_COLUMN'),
      ],
    ],
    [`${HEADER}\na,b\n${LINE}`, [importError(2, null, 'WRONG_FIELD_COUNT', '2'), ROW]],
    [`${HEADER}\n"a"b\n${LINE}`, [importError(2, null, 'STRAY_QUOTE'), ROW]],
    [`${HEADER}\n${LINE}\n"never closed\n`, [ROW, importError(3, null, 'UNCLOSED_QUOTE')]],
  ])('%j is refused with its lines', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each([
    ['192.0.2.1', '192.0.2', 'ip', 'NOT_AN_ADDRESS'],
    ['0.8', 'cheap', 'price', 'NOT_A_PRICE'],
    ['0.8', '0', 'price', 'NOT_A_PRICE'],
    ['0.8', '-1', 'price', 'NOT_A_PRICE'],
    ['0.8', '0.80001', 'price', 'NOT_A_PRICE'],
    ['0.8', '10000.01', 'price', 'NOT_A_PRICE'],
    [',DE,', ',de,', 'countryCode', 'NOT_A_COUNTRY'],
    ['Telekom', 'x'.repeat(121), 'isp', 'TOO_LONG'],
    ['Telekom', 'a\tb', 'isp', 'INVALID_TEXT'],
    ['Telekom', 'Tele\u200Bkom', 'isp', 'INVALID_TEXT'],
    ['Telekom', '\u202Emokelet', 'isp', 'INVALID_TEXT'],
    ['Telekom', '\u3164', 'isp', 'INVALID_TEXT'],
    ['Telekom', 'Telekom\uFE0F', 'isp', 'INVALID_TEXT'],
    ['Telekom', 'Tele\u034Fkom', 'isp', 'INVALID_TEXT'],
    ['Telekom', 'M\uFFFDvil', 'isp', 'INVALID_TEXT'],
    [',DE,', ',UK,', 'countryCode', 'NOT_A_COUNTRY'],
    [',DE,', ',EU,', 'countryCode', 'NOT_A_COUNTRY'],
    [',DE,', ',XX,', 'countryCode', 'NOT_A_COUNTRY'],
    ['paris', 'rome', 'node', 'UNKNOWN_NODE'],
    ['local-address', 'tunnel', 'exitKind', 'UNKNOWN_EXIT_KIND'],
    ['local-address,', 'local-address,eth0', 'exit', 'NOT_AN_ADDRESS'],
  ])('with %s replaced by %j says what is wrong in which column', (part, replacement, column, problem) => {
    expect(
      table(
        LINE,
        LINE.replace('192.0.2.1', '192.0.2.9').replace(part === '192.0.2.1' ? '192.0.2.9' : part, replacement),
      ),
    ).toEqual([ROW, importError(3, column, problem)]);
  });

  test('may have semicolons or tabs, a line that names them, decimal commas, and empty rows of delimiters', () => {
    for (const [delimiter, first] of [
      [';', ''],
      ['\t', ''],
      [';', 'sep=;\r\n'],
      ['\t', 'sep=\t\n'],
      [',', 'sep=,\n'],
      [';', '"SEP=;"\r\n'],
    ] as const) {
      const [header, line] = [HEADER, LINE].map((text) => text.replaceAll(',', delimiter));
      const price = delimiter === ',' ? '0.8' : '0,80';
      const empty = delimiter.repeat(importColumns.length - 1);
      expect(read(`${first}${header}\r\n${line!.replace('0.8', price)}\r\n${empty}\r\n\r\n`)).toEqual([ROW]);
    }
    expect(table(LINE.replace('0.8', '"1,234"'))).toEqual([importError(2, 'price', 'NOT_A_PRICE')]);
    expect(table(LINE.replace('0.8', '"0,123"'))).toEqual([{ ...ROW, priceMicros: 123_000n }]);
    const limited = `${HEADER};megabitsPerSecond\n${LINE};2,5`.replaceAll(',', ';').replace('2;5', '2,5');
    expect(read(limited)).toEqual([{ ...ROW, bytesPerSecondMax: 312_500 }]);
  });

  test('has equal names for texts that look equal', () => {
    const decomposed = LINE.replace('Telekom', 'Mo\u0301vil\u00A0S.A.');
    expect(table(decomposed)).toEqual([{ ...ROW, isp: 'M\u00F3vil S.A.' }]);
  });

  test('may be UTF-16 with a mark of its byte order', () => {
    const text = `\uFEFF${HEADER}\n${LINE.replace('Telekom', 'Móvil')}\n`;
    const little = Buffer.from(text, 'utf16le');
    for (const content of [little, Buffer.from(little).swap16()]) {
      const decoded = decode(content);
      expect(typeof decoded === 'string' && read(decoded)).toEqual([{ ...ROW, isp: 'Móvil' }]);
    }
  });

  test('with an address twice names the first line, also for two notations of it', () => {
    const [first, second] = ['2001:db8::1', '2001:DB8:0:0:0:0:0:1'].map((ip) => LINE.replace('192.0.2.1', ip));
    expect(table(first!, second!)).toEqual([{ ...ROW, ip: '2001:db8::1' }, importError(3, 'ip', 'DUPLICATE_IP', '2')]);
  });

  test('with several errors in a line reports each column once', () => {
    expect(table(',,D,,,,,,,,').map((item) => 'column' in item && item.column)).toEqual(
      importColumns.slice(0, -1).filter((column) => column !== 'ip' && column !== 'node'),
    );
  });

  test('that is not UTF-8 names the line', () => {
    const latin1 = Buffer.from(`${HEADER}\n${LINE}\n${LINE.replace('Berlin', 'Köln')}\n`, 'latin1');
    expect(decode(latin1)).toEqual(importError(3, null, 'NOT_UTF8'));
    expect(decode(Buffer.from(HEADER, 'utf16le'))).toBeTypeOf('string');
  });

  test('is read up to the limit of rows', () => {
    const lines = Array.from({ length: IMPORT_ROWS_MAX + 2 }, (_, index) => `x${index}`).join('\n');
    const items = read(`${HEADER}\n${lines}`);
    expect(items).toHaveLength(IMPORT_ROWS_MAX + 1);
    expect(items.at(-1)).toMatchObject({ line: IMPORT_ROWS_MAX + 2, problem: 'TOO_MANY_ROWS' });
  });

  test('reads back every table that is written by the rules', () => {
    const cells = fc.array(
      fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ') }), { minLength: 2, maxLength: 4 }),
    );
    fc.assert(
      fc.property(cells, fc.constantFrom('\n', '\r\n'), (rows, end) => {
        const quoted = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',') + end).join('');
        const expected = rows.map((row) => (row.join('').trim() === '' ? [] : row));
        expect([...readCsv(quoted)].map((item) => 'cells' in item && item.cells)).toEqual(expected);
      }),
    );
  });

  test('terminates for every input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '[', '{', '}', ']', ':', '\\') }),
        (text) => {
          const lines = text.split('\n').length;
          for (const reader of [readCsv, readJson])
            for (const { line } of reader(text)) expect(line).toBeLessThanOrEqual(lines);
        },
      ),
    );
  });
});

describe('a JSON file', () => {
  const object = {
    ...Object.fromEntries(importColumns.map((column, index) => [column, LINE.split(',')[index]])),
    price: 0.8,
    exit: null,
  };
  const json = JSON.stringify(object);

  test('is a list of objects, each with its line', () => {
    expect(read(`[\n${json}\n]\n`, 'json')).toEqual([ROW]);
    expect(read(`[${json},\n\n{"ip":"192.0.2.2"}]`, 'json').at(-1)).toEqual(
      importError(3, 'exitKind', 'UNKNOWN_EXIT_KIND', null),
    );
  });

  test.each([
    ['', [importError(1, null, 'NOT_A_LIST')]],
    ['{}', [importError(1, null, 'NOT_A_LIST')]],
    ['[]', [importError(1, null, 'NO_ROWS')]],
    [`[\n${json},\n7]`, [ROW, importError(3, null, 'NOT_AN_OBJECT')]],
    [`[\n${json}\n${json}]`, [ROW, importError(3, null, 'NOT_JSON')]],
    [`[${json}`, [ROW, importError(1, null, 'NOT_JSON')]],
    [`[${json}]\nx`, [ROW, importError(2, null, 'NOT_JSON')]],
    [`[{"ip":}]`, [importError(1, null, 'NOT_JSON')]],
    [`[${json.replace('"isp"', '"operator"')}]`, [importError(1, null, 'UNKNOWN_COLUMN', '7')]],
    [`[${json.replace('"Telekom"', '{"name":"}"}')}]`, [importError(1, 'isp', 'NOT_TEXT')]],
  ])('%j is refused with its lines', (text, expected) => {
    expect(read(text, 'json')).toEqual(expected);
  });
});

const nested = (depth: number) => `[{"ip":${'['.repeat(depth)}${']'.repeat(depth)}}]`;

describe('work on a file that is made to take long has a bound', () => {
  const longText = 'x'.repeat(RECORD_CHARACTERS_MAX);

  test.each([
    ['an object of 64 KiB', `[{"ip":"${longText}"}]`, 1],
    ['an object that never ends', `[\n{"ip":"${longText}`, 2],
    ['five million brackets', `[{"ip":${'['.repeat(5_000_000)}`, 1],
    ['five million braces', `[${'{"a":'.repeat(1_000_000)}`, 1],
    ['nine levels', nested(8), 1],
  ])('in JSON: %s', (_, text, line) => {
    expect(read(text, 'json')).toEqual([importError(line, null, 'TOO_LARGE')]);
  });

  test('in JSON: a value within the bounds is an error of its column', () => {
    expect(read(nested(7), 'json')).toContainEqual(importError(1, 'ip', 'NOT_TEXT'));
    const long = longText.slice(100);
    expect(read(`[{"ip":"${long}"}]`, 'json')).toContainEqual(importError(1, 'ip', 'NOT_AN_ADDRESS'));
  });

  test('in JSON: spaces without an end', () => {
    const spaces = ' '.repeat(5_000_000);
    expect(read(spaces, 'json')).toEqual([importError(1, null, 'NOT_A_LIST')]);
    expect(read(`[${spaces}`, 'json')).toEqual([importError(1, null, 'NOT_AN_OBJECT')]);
  });

  test('in JSON: a minified list of 13 MB is searched for line ends once', () => {
    const objects = Array.from({ length: 60_000 }, () => `{"ip":"${'x'.repeat(210)}"}`);
    const before = process.cpuUsage();
    expect([...readJson(`[${objects.join(',')}]`)]).toHaveLength(objects.length);
    // The searches from each object to the end of the file took 30 seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });

  test.each([
    ['a line of 64 KiB', longText],
    ['a quoted record of 64 KiB', `"${longText}"`],
    ['many quoted cells', '"",'.repeat(RECORD_CHARACTERS_MAX)],
    ['a record of many lines', `"${'\n'.repeat(RECORD_CHARACTERS_MAX)}"`],
  ])('in CSV: %s', (_, line) => {
    expect(table(line, LINE)).toEqual([importError(2, null, 'TOO_LARGE')]);
  });

  test('in CSV: a line just below 64 KiB is read, and the lines after it', () => {
    const long = longText.slice(1);
    expect(table(long, `"${long.slice(3)}"`, LINE)).toEqual([
      importError(2, null, 'WRONG_FIELD_COUNT', '1'),
      importError(3, null, 'WRONG_FIELD_COUNT', '1'),
      ROW,
    ]);
  });

  test('in CSV: a header of a million columns', () => {
    const columns = Array.from({ length: COLUMNS_MAX - importColumns.length + 1 }, (_, index) => `x${index}`);
    expect(read(`${HEADER},${columns.join(',')}\n${LINE}`)).toEqual([
      importError(1, null, 'TOO_MANY_COLUMNS', String(COLUMNS_MAX)),
    ]);
    expect(read('a,'.repeat(1_000_000))).toMatchObject([{ problem: 'TOO_LARGE' }]);
  });

  test('in CSV: more empty lines than rows are allowed', () => {
    expect(table('\n'.repeat(IMPORT_ROWS_MAX), LINE)).toMatchObject([{ problem: 'TOO_MANY_ROWS' }]);
  });

  test('in CSV: a letter with 60,000 marks is not normalised', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const marks = `a${'\u0316\u0301'.repeat(30_000)}`;
    expect(table(LINE.replace('Telekom', marks))).toEqual([importError(2, 'isp', 'TOO_LONG')]);
    expect(normalize.mock.contexts.filter((text) => String(text).length > 120)).toEqual([]);
  });

  test('in CSV: empty rows of 64 KiB are skipped one by one, so that others are let in', () => {
    const rows = Array.from({ length: 100 }, () => ','.repeat(RECORD_CHARACTERS_MAX - 1));
    const items = [...readRows('csv', [HEADER, ...rows, LINE].join('\n'), nodes)];
    expect(items).toEqual([...rows.map(() => null), ROW]);
  });

  test('in text that is not UTF-8: its line is found in a few passes', () => {
    const lines = Buffer.alloc(20_000_000, '\n');
    const content = Buffer.concat([lines, Buffer.from([0xff])]);
    const searches = vi.spyOn(content, 'indexOf');
    expect(decode(content)).toEqual(importError(20_000_001, null, 'NOT_UTF8'));
    expect(searches.mock.calls.length).toBeLessThan(lines.length / 100);
  });
});
