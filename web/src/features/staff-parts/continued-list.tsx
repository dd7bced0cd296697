import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatMoment } from '../../format/format.ts';
import { PagedList, type PagedListProps } from '../../ui/paged-list.tsx';
import { continueAfter, type Moments, type TimeOrder } from './continuation.ts';

interface ContinuedListProps<Row> extends PagedListProps<Row> {
  moments: Moments;
  /** Starts at the first page. */
  onMoments: (moments: Moments) => void;
  /** Undefined: the list is not sorted by time. */
  order: TimeOrder | undefined;
}

/** A paged list that can be continued after its last page if it is truncated. */
export function ContinuedList<Row extends { createdAt: string }>({
  moments,
  onMoments,
  order,
  ...paged
}: ContinuedListProps<Row>) {
  const { t } = useTranslation('staff');
  const next = toContinuation({ ...paged, order });
  const isStuck = next?.since === moments.since && next?.until === moments.until;
  return (
    <>
      <Limits moments={moments} onMoments={onMoments} />
      <PagedList {...paged} />
      {next !== undefined && !isStuck && (
        <Group justify="center" mt="xs">
          <Button variant="default" onClick={() => onMoments(next)}>
            {t('continuation.next')}
          </Button>
        </Group>
      )}
    </>
  );
}

function toContinuation<Row extends { createdAt: string }>({
  list: { rows, isTruncated, totalPages },
  page,
  order,
}: Pick<ContinuedListProps<Row>, 'list' | 'page' | 'order'>): Moments | undefined {
  const last = rows?.at(-1);
  if (last === undefined || order === undefined || !isTruncated || page !== totalPages) return undefined;
  return continueAfter(last.createdAt, order);
}

function Limits({ moments: { since, until }, onMoments }: Pick<ContinuedListProps<never>, 'moments' | 'onMoments'>) {
  const { t } = useTranslation('staff');
  if (since === undefined && until === undefined) return null;
  return (
    <Group gap="xs" mb="sm">
      {since !== undefined && <Text size="sm">{t('continuation.since', { date: formatMoment(since) })}</Text>}
      {until !== undefined && <Text size="sm">{t('continuation.until', { date: formatMoment(until) })}</Text>}
      <Button size="compact-sm" variant="default" onClick={() => onMoments({ since: undefined, until: undefined })}>
        {t('continuation.start')}
      </Button>
    </Group>
  );
}
