import { listCoins } from '@cellhop/contract/coins';
import {
  IconAntennaBars5,
  IconArrowBackUp,
  IconGauge,
  IconGift,
  IconMapSearch,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import classes from './benefits.module.css';

const benefits = [
  { key: 'mobile', Icon: IconAntennaBars5 },
  { key: 'search', Icon: IconMapSearch },
  { key: 'traffic', Icon: IconGauge },
  { key: 'refund', Icon: IconArrowBackUp },
  { key: 'trial', Icon: IconGift },
  { key: 'affiliate', Icon: IconUsers },
  { key: 'countries', Icon: IconWorld },
] as const;

export function Benefits() {
  const { t, i18n } = useTranslation('landingDetails');
  const { brandName, currencies } = useSettings();
  const times = useShopTimes();
  return (
    <ul className={classes['grid']}>
      {benefits.map(({ key, Icon }) => (
        <li key={key}>
          <Icon size={26} stroke={1.5} aria-hidden="true" />
          <h3>{t(`benefits.${key}.title`)}</h3>
          <p>{t(`benefits.${key}.text`, times)}</p>
        </li>
      ))}
      <li className={classes['summary']}>
        <p>
          {t('summary', { brand: brandName })}
          {/* Only what this installation accepts; none is known until the settings are loaded. */}
          {currencies.length > 0 && ` ${t('currencies', { list: listCoins(currencies, i18n.language) })}`}
        </p>
      </li>
    </ul>
  );
}
