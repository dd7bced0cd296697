import { IconArrowBackUp, IconReceipt2, IconScale } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import classes from './proof.module.css';

const proofs = [
  { key: 'refund', Icon: IconArrowBackUp, path: '/legal/refunds' },
  { key: 'receipt', Icon: IconReceipt2, path: '/check-receipt' },
  { key: 'count', Icon: IconScale, path: '/legal/terms' },
] as const;

/** Rules that customers can check, each with the page that has it in full. */
export function Proof() {
  const { t } = useTranslation('landingDetails');
  const times = useShopTimes();
  return (
    <ul className={classes['proofs']}>
      {proofs.map(({ key, Icon, path }) => (
        <li key={key}>
          <Icon size={26} stroke={1.5} aria-hidden="true" />
          <h3>{t(`proof.${key}.title`)}</h3>
          <p>{t(`proof.${key}.text`, times)}</p>
          <a href={path}>{t(`proof.${key}.link`)}</a>
        </li>
      ))}
    </ul>
  );
}
