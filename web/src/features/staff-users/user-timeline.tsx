import { auditActions } from '@cellhop/contract/staff/audit-log.values';
import type { TimelineEntry } from '@cellhop/contract/staff/timeline';
import { timelineKinds } from '@cellhop/contract/staff/lists.values';
import { Button, Chip, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoment, formatTraffic } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import { oneOf } from '../../loading/search-values.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { ConnectionStatusBadge } from '../connections/connection-status-badge.tsx';
import { NotificationHtml } from '../notifications/notification-html.tsx';
import { someOf } from '../staff-parts/staff-screen.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { type TimelineQuery, useTimeline } from './api.ts';
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
        onChange={(values) => onQuery({ kind: someOf(values, timelineKinds), after: undefined })}
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

/** One entry: time, kind and event, with a link to its subject. */
function EntryLine({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation('staff');
  return (
    <li>
      <time dateTime={entry.at} className={classes['moment']}>
        {formatMoment(entry.at)}
      </time>
      <span className={classes['kind']}>{t(`timeline.kinds.${entry.kind}`)}</span>
      <span className={classes['what']}>
        <Description entry={entry} />
      </span>
    </li>
  );
}

function Description({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation(['staff', 'common', 'transaction', 'proxyConnection']);
  switch (entry.kind) {
    case 'ACCOUNT':
      return (
        <>
          <Action action={entry.action} />
          <Detail>{[entry.ip, entry.device].filter(Boolean).join(', ')}</Detail>
        </>
      );
    case 'STAFF':
      return (
        <>
          <Action action={entry.action} />
          <Detail>
            {entry.actor !== null && <UserLink user={entry.actor} />}
            {entry.reason !== null && `: ${entry.reason}`}
          </Detail>
        </>
      );
    case 'MONEY':
      return (
        <>
          {t(`transaction:kinds.${entry.transaction}`)} {formatTotal(entry.amount)}
        </>
      );
    case 'PURCHASE':
      return (
        <>
          <ConnectionLink {...entry} /> {entry.status === 'WORK' && <ConnectionStatusBadge status={entry.status} />}
          <Detail>
            {entry.status === 'WORK'
              ? t('timeline.paid', { amount: formatTotal(entry.paidFor) })
              : formatTotal(entry.paidFor)}
          </Detail>
        </>
      );
    case 'END':
      return (
        <>
          <ConnectionLink {...entry} /> {entry.reason !== null && t(`timeline.ends.${entry.reason}`)}
          <Detail>
            {t('timeline.used', {
              amount: formatTotal(entry.paidFor),
              megabytes: formatTraffic(entry.trafficUsed),
            })}
          </Detail>
        </>
      );
    case 'TICKET':
      return (
        <Link to="/admin/tickets/$ticketId" params={{ ticketId: entry.ticketId }}>
          {entry.name}
        </Link>
      );
    case 'NOTIFICATION':
      return <NotificationHtml html={entry.description} onLeave={undefined} />;
  }
}

function ConnectionLink({ connectionId, ip }: { connectionId: string; ip: string }) {
  return (
    <Link to="/admin/connections" search={{ id: connectionId }}>
      {ip}
    </Link>
  );
}

/** Other releases may have recorded actions that this one does not know. */
function Action({ action }: { action: string }) {
  const { t } = useTranslation('staffSystem');
  const known = oneOf(action, auditActions);
  return known === undefined ? action : t(`actions.${known}`);
}

function Detail({ children }: { children: ReactNode }) {
  return <span className={classes['detail']}> {children}</span>;
}
