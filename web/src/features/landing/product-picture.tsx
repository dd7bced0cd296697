import {
  IconBell,
  IconChartBar,
  IconCheck,
  IconCopy,
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
import { useSettings } from '../../data/settings.ts';
import { formatMoney, formatTraffic } from '../../format/format.ts';
import { Logo } from '../../ui/logo.tsx';
import { flagUrl } from './flag-url.ts';
import { Pointer } from './pointer.tsx';
import classes from './product-picture.module.css';
import motion from './purchase-animation.module.css';

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
const running = { ip: '203.0.113.24', access: 'socks5://k3vz9p:7mxd2hf4@203.0.113.8:9000' };
/** What the running connection shows, one after the other: KiB, and dollars at 0.8 cents for a megabyte, of which 50 are prepaid. */
const counts = [
  { used: 0, cost: 0.4 },
  { used: 18_637, cost: 0.4 },
  { used: 42_700, cost: 0.4 },
  { used: 53_555, cost: 0.424 },
  { used: 63_898, cost: 0.504 },
];
/** Megabytes per second, for the bars of the chart. */
const bars = [3, 5, 4, 8, 6, 9, 12, 7, 10, 14, 11, 16];

/** The proxies screen and an active connection, in the app's colors and texts. */
export function ProductPicture({ label }: { label: string }) {
  const { brandName } = useSettings();
  return (
    <figure className={classes['figure']} aria-label={label}>
      <div className={classes['window']} aria-hidden="true">
        <Menu brandName={brandName} />
        <div>
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
  const { t } = useTranslation(['landingDetails', 'common']);
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
      <span className={`${classes['find']} ${motion['findButton']}`}>
        <IconSearch size={16} />
        {t('picture.find')}
        <Pointer className={motion['findPointer']} />
      </span>
    </div>
  );
}

function Table() {
  const { t } = useTranslation(['landingDetails', 'common']);
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
      {rows.map(({ price, ip, country, city, zip, operator, type }, index) => (
        <div
          key={ip}
          className={`${classes['row']} ${motion['result']}`}
          style={{ animationDelay: `${index * 0.08}s` }}
        >
          <span>
            <b className={`${classes['buy']} ${index === 0 ? motion['buyButton'] : ''}`}>
              {t('picture.buy')}
              {index === 0 && <Pointer className={motion['buyPointer']} />}
            </b>
          </span>
          <strong>{formatMoney(price)}</strong>
          <span>{ip}</span>
          <span className={classes['place']}>
            <img src={flagUrl(country)} alt="" width={22} height={16.5} loading="lazy" />
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
  const { t } = useTranslation(['landingDetails', 'common']);
  return (
    <div className={`${classes['card']} ${motion['card']}`} aria-hidden="true">
      <div className={classes['head']}>
        <strong>{running.ip}</strong>
        <span className={classes['works']}>{t('picture.works')}</span>
      </div>
      <div className={classes['access']}>
        <code>{running.access}</code>
        <span className={`${classes['copy']} ${motion['copyButton']}`}>
          <IconCopy className={motion['before']} size={16} stroke={1.7} />
          <IconCheck className={motion['after']} size={16} stroke={2.2} />
          <Pointer className={motion['copyPointer']} />
        </span>
      </div>
      <div className={classes['bars']}>
        {bars.map((height, index) => (
          <i
            // Bars have no other identity than their index.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            className={motion['bar']}
            style={{ height: `${(height / 16) * 100}%`, animationDelay: `${index * 0.35}s` }}
          />
        ))}
      </div>
      <div className={classes['facts']}>
        <span>
          {t('picture.used')}
          <Count texts={counts.map(({ used }) => formatTraffic(used))} />
        </span>
        <span>
          {t('picture.paid')}
          <Count texts={counts.map(({ cost }) => formatMoney(cost))} />
        </span>
      </div>
    </div>
  );
}

/** A window over a column of texts; without motion it shows the last one. */
function Count({ texts }: { texts: readonly string[] }) {
  return (
    <b className={classes['count']}>
      <span className={motion['count']}>
        {texts.map((text, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={index}>{text}</span>
        ))}
      </span>
    </b>
  );
}
