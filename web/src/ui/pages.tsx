import { Group, Pagination } from '@mantine/core';
import { useTranslation } from 'react-i18next';

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
