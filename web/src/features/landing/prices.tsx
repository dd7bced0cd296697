import type { Stock } from '@cellhop/contract/proxies';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { useTranslation } from 'react-i18next';
import { countryName, formatCount, formatMoney } from '../../format/format.ts';
import { readLanguage } from '../../i18n/languages.ts';
import { flagUrl } from './flag-url.ts';
import classes from './prices.module.css';
import type { KnownStock } from './stock.ts';

/** Countries in the table, those with the most free proxies. */
const COUNTRIES_MAX = 8;
const MEGABYTES_PER_GIGABYTE = 1024;
const PREPAID_MEGABYTES = 50;

const amounts = [
  { key: 'start', megabytes: PREPAID_MEGABYTES },
  { key: 'one', megabytes: MEGABYTES_PER_GIGABYTE },
  { key: 'ten', megabytes: 10 * MEGABYTES_PER_GIGABYTE },
] as const;

export function Prices({ stock }: { stock: KnownStock | null | undefined }) {
  const { t } = useTranslation('landingDetails');
  return (
    <>
      <p className={classes['lead']}>{t('price.lead')}</p>
      <div className={classes['prices']}>
        <Countries stock={stock} />
        <GigabyteCard price={stock?.megabytePrice ?? undefined} />
      </div>
    </>
  );
}

function Countries({ stock }: { stock: KnownStock | null | undefined }) {
  const { t, i18n } = useTranslation('landingDetails');
  if (stock === null) return <p className={classes['message']}>{t('price.failed')}</p>;
  if (stock?.countries.length === 0) return <p className={classes['message']}>{t('price.empty')}</p>;
  const rows: readonly (Stock['countries'][number] | undefined)[] =
    stock?.countries.slice(0, COUNTRIES_MAX) ?? Array.from({ length: COUNTRIES_MAX });
  const more = (stock?.countries.length ?? 0) - rows.length;
  return (
    <div className={classes['table']}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('price.country')}</th>
            <th scope="col">{t('price.free')}</th>
            <th scope="col">{t('price.operators')}</th>
            <th scope="col">{t('price.megabyte')}</th>
            <th scope="col">{t('price.gigabyte')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((country, index) => (
            // Until the countries are known, empty rows keep their space.
            <CountryRow key={country?.countryCode ?? index} country={country} />
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <p>
          <a href={visitorPath(readLanguage(i18n), 'locations')}>{t('price.more', { count: more })}</a>
        </p>
      )}
    </div>
  );
}

function CountryRow({ country }: { country: Stock['countries'][number] | undefined }) {
  const { t, i18n } = useTranslation('landingDetails');
  if (country === undefined)
    return (
      <tr>
        <td colSpan={5}>…</td>
      </tr>
    );
  const { countryCode, free, operators, megabytePrice: price } = country;
  return (
    <tr>
      <th scope="row">
        <img src={flagUrl(countryCode)} alt="" width={24} height={18} loading="lazy" />
        <a href={visitorPath(readLanguage(i18n), 'locations', countryCode)}>
          {countryName(countryCode, i18n.language)}
        </a>
      </th>
      <td>{formatCount(free)}</td>
      <td>{formatCount(operators)}</td>
      <td>{price === null ? t('price.soldOut') : formatMoney(price)}</td>
      <td>{price === null ? '' : wholeCents(price * MEGABYTES_PER_GIGABYTE)}</td>
    </tr>
  );
}

/** @param price US dollars for one megabyte; undefined while it is not known */
function GigabyteCard({ price }: { price: number | undefined }) {
  const { t } = useTranslation('landingDetails');
  const cost = (megabytes: number) => (price === undefined ? '\u00A0' : wholeCents(price * megabytes));
  return (
    <div className={classes['card']}>
      <h3>{t('gigabyte.title')}</h3>
      <p className={classes['figure']}>
        {price === undefined ? '\u00A0' : t('gigabyte.from', { price: cost(MEGABYTES_PER_GIGABYTE) })}
      </p>
      <p>{t('gigabyte.unit')}</p>
      <dl>
        {amounts.map(({ key, megabytes }) => (
          <div key={key}>
            <dt>
              <strong>{t(`gigabyte.${key}`)}</strong>
              {t(`gigabyte.${key}Text`)}
            </dt>
            <dd>{cost(megabytes)}</dd>
          </div>
        ))}
      </dl>
      <p className={classes['note']}>{t('gigabyte.note')}</p>
    </div>
  );
}

/** Rounded up, so that nothing costs more than it says: "$4.10" for $4.096. */
function wholeCents(dollars: number): string {
  return formatMoney(Math.ceil(Math.round(dollars * 1e6) / 1e4) / 100);
}
