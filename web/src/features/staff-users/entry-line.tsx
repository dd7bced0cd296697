import { auditActions } from '@cellhop/contract/staff/audit-log.values';
import type { TimelineEntry } from '@cellhop/contract/staff/timeline';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMegabytes, formatMoment, formatMoney } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { ConnectionStatusBadge } from '../connections/connection-status-badge.tsx';
import { NotificationHtml } from '../notifications/notification-html.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import classes from './user-timeline.module.css';

/** One entry: time, kind and event, with a link to its subject. */
export function EntryLine({ entry }: { entry: TimelineEntry }) {
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
          {t(`transaction:kinds.${entry.transaction}`)} {formatMoney(entry.amount)}
        </>
      );
    case 'PURCHASE':
      return (
        <>
          <ConnectionLink {...entry} /> {entry.status === 'WORK' && <ConnectionStatusBadge status={entry.status} />}
          <Detail>{t('timeline.paid', { amount: formatMoney(entry.paidFor) })}</Detail>
        </>
      );
    case 'END':
      return (
        <>
          <ConnectionLink {...entry} /> {entry.reason !== null && t(`timeline.ends.${entry.reason}`)}
          <Detail>
            {t('timeline.used', {
              amount: formatMoney(entry.paidFor),
              megabytes: t('common:megabytes', { value: formatMegabytes(entry.trafficUsed) }),
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
