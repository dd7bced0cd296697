import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCents, formatCount, formatDate, formatTraffic } from '../../format/format.ts';
import { durationText } from '../staff-parts/duration.ts';
import type { RangeQuery } from '../usage/range.ts';
import classes from './figures.module.css';
import { type Target, proxiesIn, type ProxyState, rowTargets, NumberLink } from './links.tsx';

interface Figure {
  key: string;
  label: string;
  value: string;
  target: Target;
  /** Draws attention. */
  isAlarming?: boolean;
  note?: string;
}

interface FiguresProps {
  /** Undefined while they are loaded. */
  figures: readonly Figure[] | undefined;
}

/** Numbers, each a link to its rows. */
export function Figures({ figures }: FiguresProps) {
  if (figures === undefined)
    return (
      <dl className={classes['figures']}>
        {['revenue', 'traffic', 'users', 'tickets'].map((key) => (
          <Box key={key} label={<Skeleton height={14} width={80} my={4} />}>
            <Skeleton height={30} width={96} />
          </Box>
        ))}
      </dl>
    );
  return (
    <dl className={classes['figures']}>
      {figures.map(({ key, label, value, target, isAlarming = false, note }) => (
        <Box key={key} label={label}>
          <span data-bad={isAlarming}>
            <NumberLink target={target}>{value}</NumberLink>
          </span>
          {note !== undefined && <small>{note}</small>}
        </Box>
      ))}
    </dl>
  );
}

function Box({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const proxyStates: readonly ProxyState[] = ['free', 'sold', 'unhealthy'];

/** The numbers that the role may read. */
export function useFigures(dashboard: Dashboard, query: RangeQuery): Figure[] {
  const sums = useSumFigures(dashboard, query);
  return [...sums, ...useCurrentFigures(dashboard, query)];
}

function useSumFigures({ revenue, topUps, traffic, signUps }: Dashboard, query: RangeQuery): Figure[] {
  const { t } = useTranslation('staffDashboard');
  const rows = rowTargets(query);
  const figures: Figure[] = [];
  if (revenue !== null)
    figures.push({
      key: 'revenue',
      label: t('revenue'),
      value: formatCents(revenue.total),
      target: rows.connections,
    });
  if (topUps !== null)
    figures.push({ key: 'topUps', label: t('topUps'), value: formatCents(topUps.total), target: rows.invoices });
  if (traffic !== null)
    figures.push({
      key: 'traffic',
      label: t('traffic'),
      value: formatTraffic(traffic.downloaded.total + traffic.uploaded.total),
      target: rows.connections,
    });
  if (signUps !== null)
    figures.push({ key: 'signUps', label: t('signUps'), value: formatCount(signUps.total), target: rows.users });
  return figures;
}

function useCurrentFigures(dashboard: Dashboard, query: RangeQuery): Figure[] {
  const { t } = useTranslation('staffDashboard');
  const { t: staffText } = useTranslation('staff');
  const { connections, proxies, tickets, nodes, moneyCheck } = dashboard;
  const rows = rowTargets(query);
  const figures: Figure[] = [];
  if (connections !== null)
    figures.push({
      key: 'connections',
      label: t('connections'),
      value: formatCount(connections.live),
      target: rows.liveConnections,
    });
  if (proxies !== null)
    for (const state of proxyStates)
      figures.push({
        key: state,
        label: `${t('proxies')}: ${t(state).toLowerCase()}`,
        value: formatCount(proxies[state]),
        target: proxiesIn(state),
      });
  if (tickets !== null) {
    const { firstReplySeconds: seconds } = tickets;
    figures.push(
      { key: 'open', label: t('openTickets'), value: formatCount(tickets.open), target: rows.openTickets },
      {
        key: 'firstReply',
        label: t('firstReply'),
        value: seconds === null ? t('noReply') : durationText(seconds, staffText),
        target: rows.tickets,
      },
    );
  }
  if (nodes !== null)
    figures.push({
      key: 'nodes',
      label: t('gateways'),
      value: t('ofAll', nodes),
      target: rows.nodes,
      isAlarming: nodes.online < nodes.total,
    });
  if (moneyCheck !== null) {
    const { status, checkedAt, violationCount: count } = moneyCheck;
    figures.push({
      key: 'moneyCheck',
      label: t('moneyCheck'),
      value: t(`checks.${status}`, { count }),
      target: rows.system,
      isAlarming: status === 'BROKEN',
      ...(checkedAt !== null && { note: t('checkedAt', { date: formatDate(checkedAt) }) }),
    });
  }
  return figures;
}
