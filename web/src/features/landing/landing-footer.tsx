import { legalDocuments } from '@cellhop/contract/legal-documents';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { useSettings } from '../../data/settings.ts';
import { ThemeSwitcher } from '../../ui/switchers.tsx';
import classes from './landing-footer.module.css';

/** @param price US dollars for one megabyte; null or undefined while it is not known */
export function LandingFooter({ price }: { price: number | null | undefined }) {
  const { t } = useTranslation(['landingDetails', 'legal']);
  const { contactEmail, abuseEmail = null } = useSettings();
  return (
    <footer className={classes['footer']}>
      {typeof price === 'number' && (
        <p className={classes['price']}>{t('footer.price', { price: formatMoney(price) })}</p>
      )}
      <nav aria-label={t('footer.links')}>
        <ul>
          {legalDocuments.map((document) => (
            <li key={document}>
              <a href={`/legal/${document}`}>{t(`legal:titles.${document}`)}</a>
            </li>
          ))}
          {contactEmail !== null && (
            <li>
              <a href={`mailto:${contactEmail}`}>{t('legal:contact')}</a>
            </li>
          )}
          {abuseEmail !== null && abuseEmail !== contactEmail && (
            <li>
              <a href={`mailto:${abuseEmail}`}>{t('legal:abuse')}</a>
            </li>
          )}
        </ul>
      </nav>
      {/* On phones: there the header has no space for it. */}
      <div className={classes['theme']}>
        <ThemeSwitcher />
      </div>
    </footer>
  );
}
