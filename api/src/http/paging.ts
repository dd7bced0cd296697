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
