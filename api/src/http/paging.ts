import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';

export interface PageQuery {
  /** From 1. */
  page: number;
  size: number;
}

export function toOffset({ page, size }: PageQuery): number {
  return (page - 1) * size;
}

/** 0 for an empty list. */
export function toTotalPages(rowCount: number, { size }: PageQuery): number {
  return Math.ceil(rowCount / size);
}

export interface ListedPage<Row> {
  rows: Row[];
  totalPages: number;
  /** There are more rows than have pages. */
  isTruncated: boolean;
}

interface Reading<Row> {
  /** Of the wanted page. */
  list: () => Promise<Row[]>;
  /** @param limit counts at most this many */
  count: (limit: number) => Promise<number>;
  /** How many rows have pages. */
  rowsMax?: number;
}

/**
 * Reads a page of a list of staff. Only its first rows have pages: to skip more of them would read ever more of a table. A page after
 * them is empty, and is not read.
 */
export async function readListed<Row>(
  page: PageQuery,
  { list, count, rowsMax = LISTED_ROWS_MAX }: Reading<Row>,
): Promise<ListedPage<Row>> {
  const rowsLeft = rowsMax - toOffset(page);
  const [rows, found] = await Promise.all([rowsLeft > 0 ? list() : [], count(rowsMax + 1)]);
  return {
    rows: rows.slice(0, Math.max(rowsLeft, 0)),
    totalPages: toTotalPages(Math.min(found, rowsMax), page),
    isTruncated: found > rowsMax,
  };
}
