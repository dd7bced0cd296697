import { asnText } from '@cellhop/contract/places.values';
import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import type { InventorySort, ProxyState } from '@cellhop/contract/staff/inventory.values';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDate, formatMoney } from '../../format/format.ts';
import { maxDecimals } from '../../format/money.ts';
import { ColumnMoney } from '../../ui/columns.tsx';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { RowMenu } from '../staff-parts/row-menu.tsx';
import type { RowSelection } from '../staff-parts/row-selection.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { ExitCheckText, SeenAddress } from './exit-check-text.tsx';
import classes from './inventory-table.module.css';

interface InventoryTableProps {
  proxies: readonly InventoryProxy[] | undefined;
  sort: InventorySort;
  onSort: (sort: string) => void;
  onHistory: (proxy: InventoryProxy) => void;
  /** This and the other actions are undefined if the member of staff may not change proxies. */
  selection: RowSelection<InventoryProxy> | undefined;
  onRetire: ((proxy: InventoryProxy) => void) | undefined;
  /** Lets the gateway check the proxy's exit now. */
  onCheck: ((proxy: InventoryProxy) => void) | undefined;
  onLimit: ((proxy: InventoryProxy) => void) | undefined;
  onRotation: ((proxy: InventoryProxy) => void) | undefined;
  onBudget: ((proxy: InventoryProxy) => void) | undefined;
  onPrice: ((proxy: InventoryProxy) => void) | undefined;
}

export function InventoryTable({ proxies, selection, sort, onSort, ...changes }: InventoryTableProps) {
  const { t } = useTranslation(['staffInventory', 'staff', 'common']);
  const decimals = maxDecimals(
    (proxies ?? []).map(({ price }) => price),
    formatMoney,
  );
  const actions = useActionColumns(changes);
  const columns: Column<InventoryProxy>[] = [
    ...(selection === undefined ? [] : [selection.column]),
    {
      key: 'ip',
      header: t('common:location.ip'),
      firstOrder: 'ascending',
      isUnbroken: true,
      place: 'heading',
      render: ({ ip }) => ip,
    },
    {
      key: 'country',
      header: t('common:location.country'),
      place: 'line',
      renderInCard: ({ countryCode }) => <CountryFlag code={countryCode} />,
      render: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
    },
    { key: 'city', header: t('place'), place: 'line', render: (proxy) => <Place proxy={proxy} /> },
    {
      key: 'price',
      header: t('priceOf100'),
      place: 'fact',
      firstOrder: 'ascending',
      isNumeric: true,
      render: ({ price }) => <ColumnMoney dollars={price} format={formatMoney} decimals={decimals} />,
    },
    { key: 'exit', header: t('exit'), place: 'line', render: ({ exit }) => <ExitText exit={exit} /> },
    ...useHealthColumns(),
    {
      key: 'connection',
      header: t('staff:user'),
      place: 'line',
      render: ({ connection }) => connection !== null && <Buyer connection={connection} />,
    },
    ...actions,
  ];
  const equal = equalColumns(proxies ?? []);
  return (
    <>
      <InCommon row={proxies?.[0]} columns={columns.filter(({ key }) => equal.has(key))} />
      <DataTable
        label={t('table.label')}
        columns={columns.filter(({ key }) => !equal.has(key))}
        rows={proxies}
        rowKey={({ id }) => id}
        isDense
        sort={sort}
        onSort={onSort}
      />
    </>
  );
}

interface InCommonProps {
  row: InventoryProxy | undefined;
  /** In which all rows say the same. */
  columns: readonly Column<InventoryProxy>[];
}

function InCommon({ row, columns }: InCommonProps) {
  const { t } = useTranslation('staffInventory');
  // Free proxies have no user: nothing to say.
  const said = row === undefined ? [] : columns.filter(({ render }) => Boolean(render(row)));
  if (row === undefined || said.length === 0) return null;
  return (
    <section aria-label={t('table.equal')}>
      <dl className={classes['equal']}>
        {said.map(({ key, header, render }) => (
          <div key={key}>
            <dt>{header}</dt>
            <dd>{render(row)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const comparable: Record<string, (proxy: InventoryProxy) => unknown> = {
  exit: ({ exit: { node, address } }) => [node, address],
  address: ({ check: { seenAddress, health, isAddressDifferent, isPlaceDifferent } }) => [
    seenAddress,
    health,
    isAddressDifferent,
    isPlaceDifferent,
  ],
  connection: ({ connection }) => connection?.user.id ?? null,
};

/** Columns in which all rows say the same: it stands once above the table. */
function equalColumns(proxies: readonly InventoryProxy[]): ReadonlySet<string> {
  const isEqual = (valueOf: (proxy: InventoryProxy) => unknown) =>
    proxies.length > 1 && new Set(proxies.map((proxy) => JSON.stringify(valueOf(proxy)))).size === 1;
  return new Set(Object.keys(comparable).filter((key) => isEqual(comparable[key]!)));
}

/** Whether the proxy works. */
function useHealthColumns(): Column<InventoryProxy>[] {
  const { t } = useTranslation('staffInventory');
  return [
    {
      key: 'state',
      header: t('state'),
      place: 'heading',
      render: ({ state, isRetired, check }) => (
        <span className={classes['states']}>
          <ProxyStateBadge state={state} />
          {isRetired && state !== 'RETIRED' && <ProxyStateBadge state="RETIRED" />}
          {state === 'SOLD' && check.health === 'UNHEALTHY' && <ProxyStateBadge state="UNHEALTHY" />}
        </span>
      ),
    },
    {
      key: 'check',
      header: t('check.title'),
      place: 'fact',
      renderInCard: ({ check }) => check.reason !== null && <ExitCheckText check={check} />,
      render: ({ check }) => <ExitCheckText check={check} />,
    },
    {
      key: 'latency',
      header: t('check.latency'),
      place: 'line',
      isNumeric: true,
      render: ({ check: { latencyMs, reason } }) =>
        latencyMs === null || reason !== null ? '–' : t('check.milliseconds', { latency: latencyMs }),
    },
    { key: 'address', header: t('check.address'), place: 'fact', render: ({ check }) => <SeenAddress check={check} /> },
  ];
}

function useActionColumns({
  onHistory,
  onRetire,
  onCheck,
  onLimit,
  onRotation,
  onBudget,
  onPrice,
}: Omit<InventoryTableProps, 'proxies' | 'sort' | 'onSort' | 'selection'>): Column<InventoryProxy>[] {
  const { t } = useTranslation('staffInventory');
  const actionsOf = (proxy: InventoryProxy) =>
    [
      { text: t('history.action'), run: onHistory },
      { text: t('check.action'), run: onCheck },
      { text: t('price.actionOfOne'), run: onPrice },
      { text: t('limits.action'), run: onLimit },
      { text: t('rotation.action'), run: onRotation },
      { text: t('budget.action'), run: onBudget },
      {
        text: t(proxy.isRetired ? 'restore.action' : 'retire.action'),
        isDestructive: !proxy.isRetired,
        run: onRetire,
      },
    ].flatMap(({ run, ...action }) => (run ? [{ ...action, onClick: () => run(proxy) }] : []));
  return [
    {
      key: 'action',
      header: t('table.action'),
      place: 'action',
      render: (proxy) => <RowMenu label={t('table.actionsOf', { ip: proxy.ip })} actions={actionsOf(proxy)} />,
    },
  ];
}

function Place({ proxy: { city, zip, isp, asn, connectionType } }: { proxy: InventoryProxy }) {
  return (
    <span className={classes['lines']}>
      <span>{`${city}, ${zip}`}</span>
      <span>{[isp, connectionType, ...(asn == null ? [] : [asnText(asn)])].join(', ')}</span>
    </span>
  );
}

function ExitText({ exit }: { exit: InventoryProxy['exit'] }) {
  const { t } = useTranslation('staffInventory');
  const canOpen = usePermission('NODES_READ');
  return (
    <span className={classes['lines']}>
      <span>{canOpen ? <Link to="/admin/nodes">{exit.node}</Link> : exit.node}</span>
      <span>{exit.address ?? t('ownRoute')}</span>
    </span>
  );
}

function Buyer({ connection: { user, createdAt } }: { connection: NonNullable<InventoryProxy['connection']> }) {
  const { t } = useTranslation('staffInventory');
  const canOpen = usePermission('CONNECTIONS_READ');
  const since = t('since', { date: formatDate(createdAt) });
  return (
    <span className={classes['buyer']}>
      <UserLink user={user} />
      {canOpen ? (
        <Link to="/admin/connections" search={{ userId: user.id }}>
          {since}
        </Link>
      ) : (
        since
      )}
    </span>
  );
}

const tones: Record<ProxyState, Tone> = {
  FREE: 'good',
  SOLD: 'neutral',
  DRAINING: 'warning',
  SPENT: 'warning',
  RETIRED: 'warning',
  UNCHECKED: 'warning',
  UNHEALTHY: 'bad',
  ELSEWHERE: 'warning',
};

function ProxyStateBadge({ state }: { state: ProxyState }) {
  const { t } = useTranslation('staffInventory');
  return <StatusBadge tone={tones[state]} text={t(`states.${state}`)} />;
}
