import type { Proxy } from '@cellhop/contract/proxies';
import { CountryFlag } from '../../ui/country-flag.tsx';
import type { Column } from '../../ui/data-table.tsx';
import classes from './proxy-card.module.css';

interface ProxyCardProps {
  proxy: Proxy;
  /** The columns of the table, for the cells that table and card share. */
  columns: readonly Column<Proxy>[];
}

/** A proxy on a phone, in two lines: its location, and the price beside Buy. */
export function ProxyCard({ proxy, columns }: ProxyCardProps) {
  const { ip, countryCode, region, city, zip, isp, connectionType } = proxy;
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
        {city}, {region} {zip} · {isp} · {connectionType}
      </p>
    </div>
  );
}
