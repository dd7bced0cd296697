import type { Company } from '@cellhop/contract/company';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { useSellerLines } from '../../hooks/use-seller-lines.ts';
import { useProfile } from '../../session/profile.ts';
import classes from './paper.module.css';

/** Who sells and who buys, on statements and receipts. */
export function Parties({ company: { name, address, taxId } }: { company: Company }) {
  const { t } = useTranslation('transaction');
  const seller = useSellerLines();
  const email = useProfile()?.email;
  return (
    <div className={classes['parties']}>
      <section>
        <h4>{t('month.seller')}</h4>
        <p>{seller.join('\n')}</p>
      </section>
      <section>
        <h4>{t('month.customer')}</h4>
        <p>{[name, address, taxId !== '' && t('month.taxId', { taxId }), email].filter(Boolean).join('\n')}</p>
        {name === '' && (
          <nav>
            <Link to="/account" hash="company">
              {t('month.addCompany')}
            </Link>
          </nav>
        )}
      </section>
    </div>
  );
}

/** What the law requires of the operator below a paper. */
export function SellerNote() {
  const { seller } = useSettings();
  return Boolean(seller?.note) && <p className={classes['note']}>{seller?.note}</p>;
}
