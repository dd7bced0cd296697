import { type TimelineKind, timelineKinds } from '@cellhop/contract/staff/timeline.values';
import { Button, Chip, Group } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { type TimelineQuery, useTimeline } from './timeline-api.ts';
import { EntryLine } from './entry-line.tsx';
import classes from './user-timeline.module.css';

const PLACEHOLDERS = ['1', '2', '3', '4', '5'];

interface UserTimelineProps {
  userId: string;
  query: TimelineQuery;
  onQuery: (query: TimelineQuery) => void;
}

/** What happened in the account of a user, newest first. */
export function UserTimeline({ userId, query, onQuery }: UserTimelineProps) {
  const { t } = useTranslation(['staff', 'common']);
  const { response, isPrevious, failure } = useTimeline(userId, query);
  const id = useId();
  const { kinds = [], data, next } = response ?? {};
  return (
    <section className={classes['timeline']} aria-labelledby={id}>
      <h2 id={id}>{t('timeline.title')}</h2>
      <Chip.Group
        multiple
        value={query.kind ?? []}
        onChange={(values) => onQuery({ kind: toKinds(values), after: undefined })}
      >
        <Group gap="xs">
          {kinds.map((kind) => (
            <Chip key={kind} value={kind} size="xs" variant="outline">
              {t(`timeline.kinds.${kind}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {failure !== undefined ? (
        <LoadFailure text={t('timeline.failed')} {...failure} />
      ) : data?.length === 0 ? (
        <EmptyList text={t('timeline.empty')} />
      ) : (
        <ol className={classes['entries']} aria-busy={data === undefined || isPrevious}>
          {data === undefined
            ? PLACEHOLDERS.map((key) => (
                <li key={key}>
                  <Placeholder height={14} width="70%" />
                </li>
              ))
            : data.map((entry) => <EntryLine key={`${entry.kind} ${entry.id}`} entry={entry} />)}
        </ol>
      )}
      <Group gap="xs">
        {query.after !== undefined && (
          <Button variant="default" size="compact-md" onClick={() => onQuery({ ...query, after: undefined })}>
            {t('timeline.newest')}
          </Button>
        )}
        {next !== null && next !== undefined && (
          <Button variant="default" size="compact-md" onClick={() => onQuery({ ...query, after: next })}>
            {t('timeline.older')}
          </Button>
        )}
      </Group>
    </section>
  );
}

/** Undefined for all. */
function toKinds(values: readonly string[]): TimelineKind[] | undefined {
  const kinds = values.flatMap((value) => oneOf(value, timelineKinds) ?? []);
  return kinds.length > 0 ? kinds : undefined;
}
