import type { ReactNode } from 'react';
import type { List } from '../data/use-list.ts';
import { LoadFailure } from './list-state.tsx';
import { isPastLast, Pages, PastLastPage, TruncatedNotice } from './pages.tsx';

export interface PagedListProps<Row> {
  list: List<Row>;
  page: number;
  onPage: (page: number) => void;
  /** Shown if the list fails to load. */
  failureText: string;
  /** Replaces a list without rows. */
  empty: ReactNode;
  /** Renders the rows, or placeholders while they are undefined. */
  children: (rows: readonly Row[] | undefined) => ReactNode;
}

export function PagedList<Row>({ list, page, onPage, failureText, empty, children }: PagedListProps<Row>) {
  const { rows, totalPages, isTruncated, failure } = list;
  if (failure !== undefined) return <LoadFailure text={failureText} {...failure} />;
  return (
    <>
      {isPastLast({ page, totalPages }) ? (
        <PastLastPage page={page} totalPages={totalPages} onChange={onPage} />
      ) : rows?.length === 0 ? (
        empty
      ) : (
        children(rows)
      )}
      <Pages page={page} totalPages={totalPages} onChange={onPage} />
      {isTruncated && <TruncatedNotice />}
    </>
  );
}
