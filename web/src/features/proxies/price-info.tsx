import { useTranslation } from 'react-i18next';
import classes from './price-info.module.css';

const rules = ['prepaid', 'further', 'idle', 'refund'] as const;

export function PriceInfo() {
  const { t } = useTranslation('proxy');
  return (
    <section className={classes['info']}>
      <h3>{t('detail.info.title')}</h3>
      <ul>
        {rules.map((rule) => (
          <li key={rule}>{t(`detail.info.${rule}`)}</li>
        ))}
      </ul>
    </section>
  );
}
