import type { Proxy } from '@cellhop/contract/proxies';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAge, prepaidPrice } from '../../format/format.ts';
import { formatPrice } from '../../format/money.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Money } from '../../ui/money.tsx';
import classes from './proxies-table.module.css';
import { sortProxies } from './sort-proxies.ts';

/** Placeholder for the IP address in a text. */
const IP = '\u{FFFC}';

interface ProxiesTableProps {
  proxies: readonly Proxy[] | undefined;
  onSelect: (proxy: Proxy) => void;
}

/** The rows of one search are sorted here, because they are at most fifty. */
export function ProxiesTable({ proxies, onSelect }: ProxiesTableProps) {
  const { t } = useTranslation('proxy');
  const columns = useColumns(onSelect);
  const [sort, setSort] = useState('price');
  const sorted = useMemo(() => proxies && sortProxies(proxies, sort), [proxies, sort]);
  return (
    <DataTable
      label={t('table.label')}
      columns={columns}
      rows={sorted}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={setSort}
      renderCard={renderCard}
    />
  );
}

const renderCard = (proxy: Proxy, columns: readonly Column<Proxy>[]) => <ProxyCard proxy={proxy} columns={columns} />;

let received: Element | undefined;

/**
 * A proxy that was bought leaves the list, and its button has the focus again: the next one takes it. React removes the reference
 * before the element. Of several buttons that are removed together, only the first passes the focus on.
 */
function passFocusOn(button: HTMLButtonElement | null) {
  return () => {
    if (button === null || document.activeElement !== button || button === received) return;
    const offers = [...document.querySelectorAll<HTMLElement>('main [data-offer]')];
    const index = offers.indexOf(button);
    const next = offers[index + 1] ?? offers[index - 1];
    received = next;
    next?.focus({ preventScroll: true });
    queueMicrotask(() => (received = undefined));
  };
}

/** Shares of the width. */
function useColumns(onSelect: (proxy: Proxy) => void): Column<Proxy>[] {
  const { t } = useTranslation(['proxy', 'common']);
  return useMemo(() => {
    // Once for all rows, because looking a text up costs more than the rest of a row.
    const buy = t('table.buy');
    const buyLabel = t('table.buyOf', { ip: IP });
    return [
      {
        key: 'action',
        width: 5,
        header: t('table.action'),
        place: 'action',
        render: (proxy) => (
          // A plain button, because there are fifty.
          <button
            ref={passFocusOn}
            type="button"
            data-offer
            className={classes['buy']}
            aria-label={buyLabel.replace(IP, proxy.ip)}
            onClick={() => onSelect(proxy)}
          >
            {buy}
          </button>
        ),
      },
      {
        key: 'price',
        width: 4.4,
        firstOrder: 'ascending',
        header: t('table.price'),
        isNumeric: true,
        render: ({ price }) => <Price price={price} />,
      },
      {
        key: 'ip',
        // The longest address.
        width: 8.6,
        header: t('common:location.ip'),
        place: 'heading',
        isUnbroken: true,
        render: (proxy) => <Address proxy={proxy} />,
      },
      {
        key: 'country',
        width: 3.9,
        header: t('common:location.country'),
        render: ({ countryCode }) => <CountryFlag code={countryCode} />,
        renderInCard: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
      },
      { key: 'region', width: 6.3, header: t('common:location.region'), render: ({ region }) => region },
      {
        key: 'city',
        width: 5,
        firstOrder: 'ascending',
        header: t('common:location.city'),
        render: ({ city }) => city,
      },
      { key: 'zip', width: 4.5, header: t('common:location.zip'), render: ({ zip }) => zip },
      { key: 'isp', width: 5.6, firstOrder: 'ascending', header: t('common:location.isp'), render: ({ isp }) => isp },
      {
        key: 'connectionType',
        width: 4.3,
        firstOrder: 'ascending',
        header: t('common:location.type'),
        render: ({ connectionType }) => connectionType,
      },
    ];
  }, [t, onSelect]);
}

function Price({ price }: { price: number }) {
  return (
    <strong className={classes['price']}>
      <Money dollars={prepaidPrice(price)} format={formatPrice} />
    </strong>
  );
}

function Address({ proxy }: { proxy: Proxy }) {
  return (
    <>
      {proxy.ip}
      <Checked proxy={proxy} />
      <Rotates proxy={proxy} />
    </>
  );
}

/** When a request last passed through the proxy's exit, and how fast. Absent for exits that were sold before there were checks. */
function Checked({ proxy: { checkedAt, latencyMs } }: { proxy: Proxy }) {
  const { t } = useTranslation('proxy');
  const now = useTenSeconds();
  if (checkedAt === null) return undefined;
  const ago = formatAge(checkedAt, now);
  return (
    <span className={classes['checked']}>
      {latencyMs === null ? t('table.checked', { ago }) : t('table.checkedWithLatency', { ago, latency: latencyMs })}
    </span>
  );
}

function Rotates({ proxy: { rotates } }: { proxy: Proxy }) {
  const { t } = useTranslation('proxy');
  return rotates === true && <span className={classes['checked']}>{t('table.rotates')}</span>;
}

interface ProxyCardProps {
  proxy: Proxy;
  /** The columns of the table, for the cells that table and card share. */
  columns: readonly Column<Proxy>[];
}

/** A proxy on a phone, in two lines: its address and the price beside Buy, and its place. The dialog has the rest. */
function ProxyCard({ proxy, columns }: ProxyCardProps) {
  const { ip, countryCode, city, isp, connectionType } = proxy;
  const cell = (key: string) => columns.find((column) => column.key === key)?.render(proxy);
  return (
    <div className={classes['card']}>
      <p className={classes['address']}>
        <CountryFlag code={countryCode} />
        <span className={classes['ip']}>{ip}</span>
      </p>
      <div className={classes['offer']}>
        {cell('price')}
        {cell('action')}
      </div>
      <p className={classes['place']}>
        {/* Isolated: a name in Arabic would otherwise exchange its neighbours. */}
        <bdi>{city}</bdi> · <bdi>{isp}</bdi> · <bdi>{connectionType}</bdi>
        <Checked proxy={proxy} />
        <Rotates proxy={proxy} />
      </p>
    </div>
  );
}
