/**
 * No error of an import contains the password of an upstream, wherever it is in the file.
 * @module-tag thorough
 */
import { importColumns, optionalColumns } from '@cellhop/contract/staff/inventory.values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRows } from './import-rows.ts';

const PASSWORD = 'hunter2';
const HEADER = importColumns.join(',');
const UPSTREAM = `socks5://user:${PASSWORD}@192.0.2.7:1080`;
const LINE = `192.0.2.1,0.8,DE,Berlin,Berlin,10115,Telekom,LTE,paris,socks5,${UPSTREAM}`;
const nodes = new Map([['paris', 'id-of-paris']]);

function errorsOf(text: string, format: 'csv' | 'json' = 'csv') {
  return [...readRows(format, text, nodes)].filter((item) => item !== null && 'problem' in item);
}

describe('the password is not repeated', () => {
  test.each([
    ['without a header', LINE],
    ['after a header of one line with it', `${HEADER}\r${LINE}`],
    ['as a name in the header', `${HEADER},${PASSWORD}\n${LINE},x`],
    ['as an upstream in the header', `${HEADER},${UPSTREAM}\n${LINE},x`],
    ['in a header whose quote is not closed', `${HEADER},"\n${LINE}`],
    ['with a comma in it', `${HEADER}\n${LINE.replace(PASSWORD, `${PASSWORD},x`)}`],
    [
      'with a comma in it, in a row of the right length',
      `${HEADER}\n${LINE.replace(PASSWORD, `${PASSWORD},x`).replace(',Telekom', '')}`,
    ],
    ['between commas', `${HEADER}\n${LINE.replace(':hunter2@', ':,hunter2,@').replace('Berlin,Berlin,10115,', 'B,')}`],
    ['with a quote in it', `${HEADER}\n${LINE.replace(PASSWORD, `"${PASSWORD}`)}`],
    ['in a quote that is not closed', `${HEADER}\n${LINE.replace(',socks5,', ',socks5,"')}`],
    ['after a quote that is closed too early', `${HEADER}\n${LINE.replace(',socks5,', ',"socks5"x,')}`],
    ['with semicolons in the line only', `${HEADER}\n${LINE.replaceAll(',', ';')}`],
    ['with another scheme', `${HEADER}\n${LINE.replace('socks5:', 'gopher:')}`],
    ['with a port that is too high', `${HEADER}\n${LINE.replace('1080', '108000')}`],
    ['with a control character', `${HEADER}\n${LINE.replace(PASSWORD, `${PASSWORD}\u0007`)}`],
  ])('%s', (_, text) => {
    const errors = errorsOf(text);
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toContain(PASSWORD);
  });

  test.each([
    ['as a name', JSON.stringify([{ [PASSWORD]: 1 }])],
    ['as a value', JSON.stringify(importColumns.map((column) => ({ [column]: PASSWORD })))],
    ['in a list', JSON.stringify([{ exit: [PASSWORD] }])],
    ['in broken JSON', `[{"exit":"${UPSTREAM}"`],
  ])('in JSON: %s', (_, text) => {
    const errors = errorsOf(text, 'json');
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toContain(PASSWORD);
  });
});

const columns = [...importColumns, ...optionalColumns];
const password = fc.oneof(
  fc.stringMatching(/^\d{6,12}$/),
  fc.stringMatching(/^[a-z]{6,12}$/),
  fc.stringMatching(/^[A-Za-z0-9 _.;-]{6,20}$/),
);
/** What each of these makes of a password stands in some cell or in the header. */
const shapes = [
  (secret: string) => secret,
  (secret: string) => `socks5://user:${secret}@192.0.2.7:1080`,
  (secret: string) => `192.0.2.7:1080:user:${secret}`,
  (secret: string) => `https://farm.test/rotate?key=${secret} cooldown=0`,
  (secret: string) => `POST https://farm.test/rotate Host: ${secret}`,
  (secret: string) => `"${secret}`,
  (secret: string) => `"${secret}"`,
  (secret: string) => `x",${secret},"`,
];

test('nor any other password, in any column and with any mistake of quoting', () => {
  fc.assert(
    fc.property(
      password,
      fc.constantFrom(...shapes),
      fc.nat(columns.length - 1),
      fc.boolean(),
      fc.constantFrom(',', ';', '\t'),
      (secret, shape, index, isInHeader, delimiter) => {
        const cells = [...LINE.split(','), 'deny 25', '20', '2.5', '3320', 'https://farm.test/rotate'];
        const rows = [[...columns], cells] as string[][];
        expect(rows[0]).toHaveLength(cells.length);
        rows[isInHeader ? 0 : 1]![index] = shape(secret);
        const shown = JSON.stringify(errorsOf(rows.map((row) => row.join(delimiter)).join('\n')));
        expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
      },
    ),
    { numRuns: 2000 },
  );
});
