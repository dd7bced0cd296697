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
  /** The list has more rows than can be paged through. */
  isTruncated: boolean;
}

interface Reading<Row> {
  /** Reads the rows of the requested page. */
  list: () => Promise<Row[]>;
  /** @param limit counts at most this many */
  count: (limit: number) => Promise<number>;
  /** How many rows can be paged through. */
  rowsMax?: number;
}

/**
 * Reads a page of a staff list. Only its first rows can be paged through, because each skipped row is read. Later pages are empty, and
 * no query runs for them.
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
