import type { Proxy } from '@cellhop/contract/proxies';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney, prepaidPrice } from '../../lib/format.ts';
import { CountryFlag } from '../../ui/country-flag.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import classes from './proxies-table.module.css';

/** Placeholder for the IP address in a text. */
const IP = '\u{FFFC}';

interface ProxiesTableProps {
  proxies: readonly Proxy[] | undefined;
  onSelect: (proxy: Proxy) => void;
}

/** The column widths add up to 700 pixels, which fit on every screen that has a table. */
export function ProxiesTable({ proxies, onSelect }: ProxiesTableProps) {
  const { t } = useTranslation(['proxy', 'common']);
  const columns = useMemo<Column<Proxy>[]>(() => {
    // Once for all rows, because looking a text up costs more than the rest of a row.
    const buy = t('table.buy');
    const buyOf = t('table.buyOf', { ip: IP });
    return [
      {
        key: 'action',
        width: 4.9,
        header: t('table.action'),
        place: 'action',
        render: (proxy) => (
          // A plain button, because there are fifty.
          <button
            type="button"
            className={classes['buy']}
            aria-label={buyOf.replace(IP, proxy.ip)}
            onClick={() => onSelect(proxy)}
          >
            {buy}
          </button>
        ),
      },
      {
        key: 'price',
        width: 3.5,
        header: t('table.price'),
        isNumeric: true,
        render: ({ price }) => <strong className={classes['price']}>{formatMoney(prepaidPrice(price))}</strong>,
      },
      {
        key: 'ip',
        width: 6.6,
        header: t('common:location.ip'),
        place: 'heading',
        isUnbroken: true,
        render: ({ ip }) => ip,
      },
      {
        key: 'country',
        width: 3.7,
        header: t('common:location.country'),
        render: ({ countryCode }) => <CountryFlag code={countryCode} />,
        renderInCard: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
      },
      { key: 'region', width: 5.8, header: t('common:location.region'), render: ({ region }) => region },
      { key: 'city', width: 5, header: t('common:location.city'), render: ({ city }) => city },
      { key: 'zip', width: 3.9, header: t('common:location.zip'), render: ({ zip }) => zip },
      { key: 'isp', width: 5.05, header: t('common:location.isp'), render: ({ isp }) => isp },
      {
        key: 'connectionType',
        width: 5.3,
        header: t('common:location.connectionType'),
        render: ({ connectionType }) => connectionType,
      },
    ];
  }, [t, onSelect]);
  return <DataTable label={t('table.label')} columns={columns} rows={proxies} rowKey={({ id }) => id} />;
}
