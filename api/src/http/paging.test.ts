import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import { expect, test } from 'vitest';
import { readListed } from './paging.ts';

/** A table of `rows` rows, which counts how many of them were skipped. */
function tableOf(rows: number) {
  const table = {
    skipped: 0,
    read: (page: number, size: number, rowsMax?: number) =>
      readListed(
        { page, size },
        {
          list: async () => {
            table.skipped = (page - 1) * size;
            return Array.from(
              { length: Math.max(Math.min(size, rows - table.skipped), 0) },
              (_, n) => table.skipped + n,
            );
          },
          count: async (limit) => Math.min(rows, limit),
          ...(rowsMax !== undefined && { rowsMax }),
        },
      ),
  };
  return table;
}

test('a list with exactly the maximum of paged rows is not truncated', async () => {
  const { rows, ...pages } = await tableOf(LISTED_ROWS_MAX).read(100, 100);
  expect(rows.at(-1)).toBe(LISTED_ROWS_MAX - 1);
  expect(pages).toEqual({ totalPages: 100, isTruncated: false });
});

test('a longer list is marked as truncated, and its last page ends at the maximum', async () => {
  const { rows, ...pages } = await tableOf(1_000_000).read(102, 99);
  expect(rows).toEqual([LISTED_ROWS_MAX - 1]);
  expect(pages).toEqual({ totalPages: 102, isTruncated: true });
});

test('a page after the last one is not read', async () => {
  const table = tableOf(1_000_000);
  expect(await table.read(LISTED_ROWS_MAX, 100)).toEqual({ rows: [], totalPages: 100, isTruncated: true });
  expect(table.skipped).toBe(0);
});

test('a list may lower the maximum', async () => {
  expect(await tableOf(30).read(2, 10, 20)).toMatchObject({ rows: { length: 10 }, totalPages: 2, isTruncated: true });
  expect(await tableOf(0).read(1, 10)).toEqual({ rows: [], totalPages: 0, isTruncated: false });
});
