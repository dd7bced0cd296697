import { useTranslation } from 'react-i18next';
import { formatMegabytes, formatMoney } from '../../lib/format.ts';
import classes from './product-picture.module.css';

const flags = import.meta.glob<string>('../../../../node_modules/flag-icons/flags/4x3/{de,us,fr,br}.svg', {
  eager: true,
  query: '?url',
  import: 'default',
});

/** Addresses of documentation (RFC 5737): nobody's. */
const rows = [
  { price: 0.4, ip: '203.0.113.24', country: 'de', city: 'Berlin', zip: '10115', operator: 'Telekom' },
  { price: 0.35, ip: '198.51.100.7', country: 'us', city: 'Chicago', zip: '60601', operator: 'T-Mobile' },
  { price: 0.4, ip: '203.0.113.180', country: 'fr', city: 'Lyon', zip: '69001', operator: 'Orange' },
  { price: 0.25, ip: '192.0.2.91', country: 'br', city: 'Recife', zip: '50010', operator: 'Vivo' },
];
const running = { ip: '203.0.113.24', trafficUsed: 12_698, paidFor: 0.4 };
/** Megabytes of the last minutes: the bars of the usage chart. */
const bars = [3, 5, 4, 8, 6, 9, 12, 7, 10, 14, 11, 16];

/** The proxies screen and a running connection, drawn with the app's own colours and texts. */
export function ProductPicture() {
  const { t } = useTranslation(['landing', 'common']);
  return (
    <figure className={classes['figure']} aria-label={t('picture.label')}>
      <div className={classes['window']} aria-hidden="true">
        <div className={classes['row']} data-is-head="true">
          <span />
          <span>{t('picture.price')}</span>
          <span>{t('picture.ip')}</span>
          <span>{t('picture.place')}</span>
          <span>{t('picture.operator')}</span>
        </div>
        {rows.map(({ price, ip, country, city, zip, operator }) => (
          <div key={ip} className={classes['row']}>
            <span className={classes['buy']}>{t('picture.buy')}</span>
            <strong>{formatMoney(price)}</strong>
            <span>{ip}</span>
            <span className={classes['place']}>
              <img
                src={flags[`../../../../node_modules/flag-icons/flags/4x3/${country}.svg`]}
                alt=""
                width={22}
                height={16.5}
                loading="lazy"
              />
              {city}, {zip}
            </span>
            <span>{operator}</span>
          </div>
        ))}
      </div>
      <div className={classes['card']} aria-hidden="true">
        <div className={classes['head']}>
          <strong>{running.ip}</strong>
          <span className={classes['works']}>{t('picture.works')}</span>
        </div>
        <div className={classes['bars']}>
          {bars.map((height, index) => (
            // Nothing but its place names a bar.
            // oxlint-disable-next-line react/no-array-index-key
            <i key={index} style={{ height: `${(height / 16) * 100}%` }} />
          ))}
        </div>
        <div className={classes['facts']}>
          <span>
            {t('picture.used')}
            <b>{t('common:megabytes', { value: formatMegabytes(running.trafficUsed) })}</b>
          </span>
          <span>
            {t('picture.paid')}
            <b>{formatMoney(running.paidFor)}</b>
          </span>
        </div>
      </div>
    </figure>
  );
}
