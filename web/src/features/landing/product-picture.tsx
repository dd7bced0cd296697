import {
  IconBell,
  IconChartBar,
  IconGift,
  IconHelpCircle,
  IconHistory,
  IconReceipt2,
  IconSearch,
  IconUserCircle,
  IconWallet,
  IconWorldSearch,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { formatMoney, formatTraffic } from '../../format/format.ts';
import { Logo } from '../../ui/logo.tsx';
import classes from './product-picture.module.css';

const flags = import.meta.glob<string>('../../../../node_modules/flag-icons/flags/4x3/{de,fr}.svg', {
  eager: true,
  query: '?url',
  import: 'default',
});

const menu = [
  { text: 'proxies', Icon: IconWorldSearch },
  { text: 'connections', Icon: IconHistory },
  { text: 'usage', Icon: IconChartBar },
  { text: 'payments', Icon: IconReceipt2 },
  { text: 'faq', Icon: IconHelpCircle },
  { text: 'referral', Icon: IconGift },
] as const;

/** Example of a search result: two countries, any ZIP and operator. */
const searched = ['germany', 'france'] as const;
const anywhere = ['city', 'zip', 'isp'] as const;

/** Reserved for documentation (RFC 5737). */
const rows = [
  { price: 0.4, ip: '203.0.113.24', country: 'de', city: 'Berlin', zip: '10115', operator: 'Telekom', type: 'LTE' },
  { price: 0.35, ip: '198.51.100.7', country: 'fr', city: 'Lyon', zip: '69001', operator: 'Orange', type: '5G' },
  { price: 0.4, ip: '203.0.113.180', country: 'de', city: 'München', zip: '80331', operator: 'Vodafone', type: '5G' },
  { price: 0.3, ip: '192.0.2.91', country: 'fr', city: 'Paris', zip: '75001', operator: 'SFR', type: 'LTE' },
  { price: 0.35, ip: '198.51.100.62', country: 'de', city: 'Hamburg', zip: '20095', operator: 'O2', type: 'LTE' },
];
const balance = 24.6;
const running = { ip: '203.0.113.24', trafficUsed: 12_698, paidFor: 0.4 };
/** Megabytes per minute, for the bars of the usage chart. */
const bars = [3, 5, 4, 8, 6, 9, 12, 7, 10, 14, 11, 16];

/** The proxies screen and an active connection, in the app's colors and texts. */
export function ProductPicture({ brandName }: { brandName: string }) {
  const { t } = useTranslation('landing');
  return (
    <figure className={classes['figure']} aria-label={t('picture.label')}>
      <div className={classes['window']} aria-hidden="true">
        <Menu brandName={brandName} />
        <div className={classes['screen']}>
          <TopBar />
          <Filter />
          <Table />
        </div>
      </div>
      <RunningConnection />
    </figure>
  );
}

function Menu({ brandName }: { brandName: string }) {
  const { t } = useTranslation();
  return (
    <div className={classes['menu']}>
      <Logo name={brandName} />
      {menu.map(({ text, Icon }) => (
        <span key={text} data-is-open={text === 'proxies'}>
          <Icon size={18} stroke={1.6} />
          {t(`menu.${text}`)}
        </span>
      ))}
    </div>
  );
}

function TopBar() {
  const { t } = useTranslation();
  return (
    <div className={classes['bar']}>
      <strong>{t('titles.proxies')}</strong>
      <span className={classes['balance']}>
        <IconWallet size={16} stroke={1.6} />
        {formatMoney(balance)}
      </span>
      <IconBell size={20} stroke={1.6} />
      <IconUserCircle size={20} stroke={1.6} />
    </div>
  );
}

function Filter() {
  const { t } = useTranslation(['landing', 'common']);
  return (
    <div className={classes['filter']}>
      <div className={classes['field']}>
        {t('common:location.country')}
        <span>
          {searched.map((country) => (
            <i key={country}>{t(`picture.${country}`)}</i>
          ))}
        </span>
      </div>
      {anywhere.map((name) => (
        <div key={name} className={classes['field']}>
          {t(`common:location.${name}`)}
          <span>{t('picture.any')}</span>
        </div>
      ))}
      <span className={classes['find']}>
        <IconSearch size={16} />
        {t('picture.find')}
      </span>
    </div>
  );
}

function Table() {
  const { t } = useTranslation(['landing', 'common']);
  return (
    <div className={classes['table']}>
      <div className={classes['row']} data-is-head="true">
        <span />
        <span>{t('picture.price')}</span>
        <span>{t('common:location.ip')}</span>
        <span>{t('common:location.city')}</span>
        <span>{t('common:location.zip')}</span>
        <span>{t('common:location.isp')}</span>
        <span>{t('picture.type')}</span>
      </div>
      {rows.map(({ price, ip, country, city, zip, operator, type }) => (
        <div key={ip} className={classes['row']}>
          <span>
            <b className={classes['buy']}>{t('picture.buy')}</b>
          </span>
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
            {city}
          </span>
          <span>{zip}</span>
          <span>{operator}</span>
          <span>{type}</span>
        </div>
      ))}
    </div>
  );
}

function RunningConnection() {
  const { t } = useTranslation(['landing', 'common']);
  return (
    <div className={classes['card']} aria-hidden="true">
      <div className={classes['head']}>
        <strong>{running.ip}</strong>
        <span className={classes['works']}>{t('picture.works')}</span>
      </div>
      <div className={classes['bars']}>
        {bars.map((height, index) => (
          // Bars have no other identity than their index.
          // oxlint-disable-next-line react/no-array-index-key
          <i key={index} style={{ height: `${(height / 16) * 100}%` }} />
        ))}
      </div>
      <div className={classes['facts']}>
        <span>
          {t('picture.used')}
          <b>{formatTraffic(running.trafficUsed)}</b>
        </span>
        <span>
          {t('picture.paid')}
          <b>{formatMoney(running.paidFor)}</b>
        </span>
      </div>
    </div>
  );
}
