import { Button, Group, Pagination, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { EmptyList } from './list-state.tsx';

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
export function isPastLast({ page, totalPages }: Pick<PagesProps, 'page' | 'totalPages'>): boolean {
  return totalPages > 0 && page > totalPages;
}

/** Replaces the rows of a page after the last one; the list itself is not empty. */
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

/** Shown below a truncated list. */
export function TruncatedNotice() {
  const { t } = useTranslation();
  return (
    <Text c="dimmed" size="sm" ta="center" mt="xs">
      {t('pages.truncated')}
    </Text>
  );
}
