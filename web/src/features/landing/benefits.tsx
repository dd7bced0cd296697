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

export function Benefits({ brandName }: { brandName: string }) {
  const { t } = useTranslation('landing');
  return (
    <section className={classes['section']}>
      <h2>{t('benefitsTitle')}</h2>
      <ul className={classes['grid']}>
        {benefits.map(({ key, Icon }) => (
          <li key={key}>
            <Icon size={26} stroke={1.5} aria-hidden="true" />
            <h3>{t(`benefits.${key}.title`)}</h3>
            <p>{t(`benefits.${key}.text`)}</p>
          </li>
        ))}
        <li className={classes['summary']}>
          <p>{t('summary', { brand: brandName })}</p>
        </li>
      </ul>
    </section>
  );
}
