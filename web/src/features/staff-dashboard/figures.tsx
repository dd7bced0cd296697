import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { Skeleton } from '@mantine/core';
import { IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate, formatGigabytes } from '../../format/format.ts';
import { formatTotal } from '../../format/money.ts';
import { durationText } from '../staff-parts/duration.ts';
import type { RangeQuery } from '../usage/range.ts';
import { type Change, changeOf } from './change.ts';
import classes from './figures.module.css';
import { type Target, proxiesIn, type ProxyState, rowTargets, NumberLink } from './links.tsx';
import { Sparkline } from './sparkline.tsx';

interface Figure {
  key: string;
  label: string;
  value: string;
  target: Target;
  /** Draws attention. */
  isAlarming?: boolean;
  note?: string;
}

/** A sum over the range, with its chart. */
interface SumFigure extends Figure {
  values: readonly number[];
  change: Change | undefined;
  /** Of the previous period. */
  before: string;
}

/** Placeholder of the figures while they load. */
export function WaitingFigures() {
  return (
    <dl className={classes['figures']} data-sums>
      {['revenue', 'topUps', 'traffic', 'signUps'].map((key) => (
        <Box key={key} label={<Skeleton height={14} width={80} my={4} />}>
          <Skeleton height={30} width={96} />
        </Box>
      ))}
    </dl>
  );
}

interface FiguresProps {
  dashboard: Dashboard;
  query: RangeQuery;
}

/** Numbers, each a link to its rows: first the sums over the range, then what is true now. */
export function Figures({ dashboard, query }: FiguresProps) {
  const sums = useSumFigures(dashboard, query);
  return (
    <>
      {sums.length > 0 && (
        <dl className={classes['figures']} data-sums>
          {sums.map(({ key, label, value, target, values, change, before }) => (
            <Box key={key} label={label}>
              <NumberLink target={target}>{value}</NumberLink>
              {change !== undefined && <ChangeText change={change} before={before} />}
              <Sparkline values={values} />
            </Box>
          ))}
        </dl>
      )}
      <CurrentFigures figures={useCurrentFigures(dashboard, query)} />
    </>
  );
}

function ChangeText({ change, before }: { change: Change; before: string }) {
  const { t } = useTranslation('staffDashboard');
  const Icon = change.direction === 'more' ? IconTrendingUp : IconTrendingDown;
  const hasPercent = 'percent' in change;
  return (
    <small
      className={classes['change']}
      data-direction={change.direction}
      title={t('change.previous', { value: before })}
    >
      {hasPercent && <Icon size={15} stroke={1.8} aria-hidden="true" />}
      {hasPercent
        ? t(`change.${change.direction}`, { percent: formatCount(change.percent) })
        : t(`change.${change.direction}`)}
    </small>
  );
}

function CurrentFigures({ figures }: { figures: readonly Figure[] }) {
  if (figures.length === 0) return null;
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

/** The sums that the role may read. */
function useSumFigures({ revenue, topUps, traffic, signUps }: Dashboard, query: RangeQuery): SumFigure[] {
  const { t } = useTranslation('staffDashboard');
  const rows = rowTargets(query);
  const figure = (
    key: 'revenue' | 'topUps' | 'traffic' | 'signUps',
    { total, values, previousTotal }: Series,
    [target, format]: [Target, (value: number) => string],
  ): SumFigure => ({
    key,
    label: t(key),
    value: format(total),
    target,
    values,
    change: changeOf(total, previousTotal),
    before: format(previousTotal),
  });
  return [
    ...(revenue === null ? [] : [figure('revenue', revenue, [rows.connections, formatTotal])]),
    ...(topUps === null ? [] : [figure('topUps', topUps, [rows.invoices, formatTotal])]),
    ...(traffic === null ? [] : [figure('traffic', sumOfBoth(traffic), [rows.connections, formatGigabytes])]),
    ...(signUps === null ? [] : [figure('signUps', signUps, [rows.users, formatCount])]),
  ];
}

type Series = NonNullable<Dashboard['revenue']>;

/** Both directions. */
function sumOfBoth({ downloaded, uploaded }: NonNullable<Dashboard['traffic']>): Series {
  return {
    total: downloaded.total + uploaded.total,
    values: downloaded.values.map((value, index) => value + (uploaded.values[index] ?? 0)),
    previousTotal: downloaded.previousTotal + uploaded.previousTotal,
  };
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
