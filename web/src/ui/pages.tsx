import { Button, Group, Pagination } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { EmptyList } from './list-state.tsx';

interface PagesProps {
  page: number;
  totalPages: number;
  onChange: (page: number) => void;
}

/** Nothing to see with one page or none. */
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

/** Of an old address, or of a list that has become shorter. */
export function isPastLast({ page, totalPages }: Pick<PagesProps, 'page' | 'totalPages'>): boolean {
  return totalPages > 0 && page > totalPages;
}

/** Stands instead of the rows of a page that there is not: the list itself is not empty. */
export function PastLastPage({ page, totalPages, onChange }: PagesProps) {
  const { t } = useTranslation();
  return (
    <EmptyList text={t('pages.none', { page })}>
      <Button variant="default" onClick={() => onChange(totalPages)}>
        {t('pages.toLast')}
      </Button>
    </EmptyList>
  );
}
