import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { formatCount, formatDate, formatMegabytes, formatMoment } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { RowButton } from '../../ui/columns.tsx';
import { useReason } from '../staff-parts/exit-reason.ts';
import { RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import classes from './nodes-table.module.css';
import { NodeBudgetDialog, TrafficBudgets } from './traffic-budgets.tsx';

export function NodesPage() {
  const { t } = useTranslation('staffInventory');
  const { response, failure } = useNodes();
  const canEdit = usePermission('NODES_EDIT');
  const changing = useRowSnapshot<GatewayNode>();
  const budgeting = useRowSnapshot<GatewayNode>();
  const drain = useDrainNode();
  const texts = changing.shown?.isDraining === true ? 'undrain' : 'drain';

  if (failure !== undefined) return <LoadFailure text={t('nodes.failed')} {...failure} />;
  return (
    <>
      {response?.data.length === 0 ? (
        <EmptyList text={t('nodes.empty')} />
      ) : (
        <NodesTable nodes={response?.data} onDrain={canEdit ? changing.open : undefined} onBudget={budgeting.open} />
      )}
      <TrafficBudgets />
      <NodeBudgetDialog snapshot={budgeting} />
      <RowReasonDialog
        snapshot={changing}
        title={t(`${texts}.title`, { name: changing.shown?.name ?? '' })}
        text={t(`${texts}.text`)}
        action={t(`${texts}.action`)}
        isDangerous={texts === 'drain'}
        isOptional
        isWorking={drain.isRunning}
        onConfirm={(node, reason) => drain.run({ node, reason })}
      />
    </>
  );
}

interface NodesTableProps {
  nodes: readonly GatewayNode[] | undefined;
  /** Undefined if the member of staff may not drain nodes. */
  onDrain: ((node: GatewayNode) => void) | undefined;
  onBudget: (node: GatewayNode) => void;
}

/** What moves the bytes of a gateway's tunnels. Those of the release before do not say it. */
function relayText(relay: string | null, t: TFunction<'staffInventory'>): string[] {
  if (relay === null) return [];
  return [relay === 'splice' ? t('nodes.nativeCode') : 'TypeScript'];
}

const BYTES_PER_KIB = 1024;

function CertificateEnd({ endsAt, fitsHost }: NonNullable<GatewayNode['certificate']>) {
  const { t } = useTranslation('staffInventory');
  return (
    <>
      <time dateTime={endsAt}>{formatDate(endsAt)}</time>
      {!fitsHost && `, ${t('nodes.otherName')}`}
    </>
  );
}

function NodesTable({ nodes, onDrain, onBudget }: NodesTableProps) {
  const { t } = useTranslation('staffInventory');
  const columns: Column<GatewayNode>[] = [
    { key: 'name', header: t('node'), place: 'heading', isUnbroken: true, render: ({ name }) => name },
    { key: 'state', header: t('state'), place: 'heading', render: (node) => <NodeState node={node} /> },
    {
      key: 'address',
      header: t('nodes.address'),
      place: 'line',
      isUnbroken: true,
      render: ({ host, port }) => `${host}:${port}`,
    },
    {
      key: 'version',
      header: t('nodes.version'),
      place: 'more',
      render: ({ softwareVersion, relay }) =>
        softwareVersion === null ? t('unknown') : [softwareVersion, ...relayText(relay, t)].join(', '),
    },
    ...useLoadColumns(),
    {
      key: 'lastReportAt',
      header: t('nodes.lastReport'),
      place: 'more',
      render: ({ lastReportAt }) =>
        lastReportAt === null ? t('nodes.never') : <time dateTime={lastReportAt}>{formatMoment(lastReportAt)}</time>,
    },
  ];
  // Most shops have none.
  if (nodes?.some(({ certificate }) => certificate))
    columns.push({
      key: 'certificate',
      header: t('nodes.certificate'),
      place: 'more',
      render: ({ certificate }) => (certificate ? <CertificateEnd {...certificate} /> : t('nodes.noCertificate')),
    });
  if (onDrain !== undefined)
    columns.push({
      key: 'action',
      header: t('table.action'),
      place: 'action',
      render: (node) => (
        <div className={classes['actions']}>
          <RowButton
            text={t('budget.action')}
            label={t('budget.title', { name: node.name })}
            onClick={() => onBudget(node)}
          />
          <RowButton
            text={t(node.isDraining ? 'undrain.action' : 'drain.action')}
            label={t(node.isDraining ? 'undrain.of' : 'drain.of', { name: node.name })}
            isDestructive={!node.isDraining}
            onClick={() => onDrain(node)}
          />
        </div>
      ),
    });
  return <DataTable label={t('nodes.label')} columns={columns} rows={nodes} rowKey={({ id }) => id} isDense />;
}

function useLoadColumns(): Column<GatewayNode>[] {
  const { t } = useTranslation(['staffInventory', 'common']);
  const canOpen = usePermission('PROXIES_READ');
  const link = (text: string, search: { node: string; state?: 'SOLD' }) =>
    canOpen ? (
      <Link to="/admin/proxies" search={search}>
        {text}
      </Link>
    ) : (
      text
    );
  return [
    {
      key: 'tunnels',
      header: t('nodes.tunnels'),
      place: 'more',
      isNumeric: true,
      render: ({ tunnels }) => (tunnels === null ? t('unknown') : formatCount(tunnels)),
    },
    {
      key: 'throughput',
      header: t('nodes.throughput'),
      place: 'line',
      isNumeric: true,
      render: ({ bytesPerSecond }) =>
        bytesPerSecond === null
          ? t('unknown')
          : t('nodes.megabytesPerSecond', { value: formatMegabytes(bytesPerSecond / BYTES_PER_KIB) }),
    },
    {
      key: 'openConnections',
      header: t('nodes.openConnections'),
      place: 'fact',
      isNumeric: true,
      render: ({ name, openConnections }) => link(formatCount(openConnections), { node: name, state: 'SOLD' }),
    },
    {
      key: 'exits',
      header: t('nodes.exits'),
      place: 'fact',
      isNumeric: true,
      render: ({ name, exits }) => link(formatCount(exits), { node: name }),
    },
    {
      key: 'dnsPorts',
      header: t('nodes.dnsPorts'),
      place: 'more',
      isNumeric: true,
      render: ({ dnsPorts: { free, total } }) => `${formatCount(free)} / ${formatCount(total)}`,
    },
  ];
}

function NodeState({ node }: { node: GatewayNode }) {
  const { t } = useTranslation('staffInventory');
  const { isLive, isDraining } = node;
  return (
    <>
      <span className={classes['states']}>
        <StatusBadge tone={isLive ? 'good' : 'bad'} text={t(isLive ? 'nodes.live' : 'nodes.silent')} />
        {isDraining && <StatusBadge tone="warning" text={t('nodes.draining')} />}
      </span>
      {!isLive && <Absence node={node} />}
    </>
  );
}

/** Since when a node is away, the last error of its exits, and when its processes ran in the last 24 hours. */
function Absence({ node: { lastReportAt, lastFailure, runs } }: { node: GatewayNode }) {
  const { t } = useTranslation('staffInventory');
  const reason = useReason(lastFailure?.reason ?? null);
  const [now] = useState(Date.now);
  return (
    <ul className={classes['absence']}>
      {lastReportAt !== null && <li>{t('nodes.since', { date: formatDate(lastReportAt) })}</li>}
      {lastFailure !== null && (
        <li>{t('nodes.lastFailure', { reason: reason ?? '', date: formatDate(lastFailure.at) })}</li>
      )}
      <li>
        {t('nodes.day', { hours: formatCount(Math.round(hoursOf(runs, now))), day: DAY_HOURS })}
        <span className={classes['day']} aria-hidden="true">
          {runs.map(({ from, to }) => (
            <span key={from} style={{ left: `${dayPart(from, now)}%`, right: `${100 - dayPart(to, now)}%` }} />
          ))}
        </span>
      </li>
    </ul>
  );
}

const DAY_HOURS = 24;
const DAY_MS = DAY_HOURS * 3_600_000;

/** Where a time is in the 24 hours before now, in percent. */
function dayPart(time: string, now: number): number {
  return Math.min(100, Math.max(0, 100 - ((now - Date.parse(time)) / DAY_MS) * 100));
}

/** In how many of the last 24 hours one of the processes ran; they may overlap. */
function hoursOf(runs: NonNullable<GatewayNode['runs']>, now: number): number {
  let [parts, last] = [0, 0];
  for (const { from, to } of runs) {
    parts += Math.max(0, dayPart(to, now) - Math.max(last, dayPart(from, now)));
    last = Math.max(last, dayPart(to, now));
  }
  return (parts * DAY_HOURS) / 100;
}

/** Nodes send no live events, so the list is polled. */
function useNodes() {
  return useApiQuery(apiQuery('GET /v1/nodes/admin', {}, { topics: ['catalogue'] }), { isPolled: true });
}

interface Drain {
  node: GatewayNode;
  reason: string | undefined;
}

/** Starts or ends the draining of a node. */
function useDrainNode() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ node: { id, isDraining, version }, reason }: Drain) =>
      callForData('PATCH /v1/nodes/admin/{id}', { params: { id }, body: { isDraining: !isDraining, version, reason } }),
    successText: ({ name, isDraining }) => t(isDraining ? 'drain.done' : 'undrain.done', { name }),
    changes: ['catalogue'],
  });
}
