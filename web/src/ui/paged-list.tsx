import { Button, Group, Pagination, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { List } from '../data/use-list.ts';
import { LoadFailure, EmptyList } from './list-state.tsx';

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

interface PagesProps {
  page: number;
  totalPages: number;
  onChange: (page: number) => void;
}

/** Renders nothing for a single page. */
export function Pages({ page, totalPages, onChange }: PagesProps) {
  const { t } = useTranslation();
  if (totalPages <= 1) return null;
  return (
    <Group component="nav" justify="center" mt="lg" aria-label={t('pages.label')}>
      <Pagination
        total={totalPages}
        value={page}
        onChange={onChange}
        getControlProps={(control) => ({ 'aria-label': t(`pages.${control}`) })}
        getItemProps={(number) => ({ 'aria-label': t('pages.page', { page: number }) })}
      />
    </Group>
  );
}

/** Happens with an old URL, or if the list has become shorter. */
function isPastLast({ page, totalPages }: Pick<PagesProps, 'page' | 'totalPages'>): boolean {
  return totalPages > 0 && page > totalPages;
}

/** Replaces the rows of a page after the last one; the list itself is not empty. */
function PastLastPage({ page, totalPages, onChange }: PagesProps) {
  const { t } = useTranslation();
  return (
    <EmptyList text={t('pages.none', { page })}>
      <Button variant="default" onClick={() => onChange(totalPages)}>
        {t('pages.toLast')}
      </Button>
    </EmptyList>
  );
}

/** Shown below a truncated list. */
function TruncatedNotice() {
  const { t } = useTranslation();
  return (
    <Text c="dimmed" size="sm" ta="center" mt="xs">
      {t('pages.truncated')}
    </Text>
  );
}
