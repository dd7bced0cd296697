import type { FixedUrl } from '@cellhop/contract/endpoints';
import { legalDocuments } from '@cellhop/contract/legal-documents';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { useSettings } from '../../data/settings.ts';
import classes from './landing-footer.module.css';

// Without the client, like the settings (data/settings.ts).
const PRICE_URL: FixedUrl = '/v1/proxies/lowest-price';
const TIMEOUT_MS = 10_000;

export function LandingFooter() {
  const { t } = useTranslation('legal');
  const { contactEmail } = useSettings();
  const price = useLowestPrice();
  return (
    <footer className={classes['footer']}>
      {price !== undefined && <p className={classes['price']}>{t('price', { price: formatMoney(price) })}</p>}
      <nav aria-label={t('links')}>
        <ul>
          {legalDocuments.map((document) => (
            <li key={document}>
              <a href={`/legal/${document}`}>{t(`titles.${document}`)}</a>
            </li>
          ))}
          {contactEmail !== null && (
            <li>
              <a href={`mailto:${contactEmail}`}>{t('contact')}</a>
            </li>
          )}
        </ul>
      </nav>
    </footer>
  );
}

/** US dollars for one megabyte; undefined while it is not known. */
function useLowestPrice(): number | undefined {
  const [price, setPrice] = useState<number>();
  useEffect(() => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // The footer is complete without it.
    fetchLowestPrice(signal).then(setPrice, () => undefined);
    return () => controller.abort();
  }, []);
  return price;
}

async function fetchLowestPrice(signal: AbortSignal): Promise<number | undefined> {
  const response = await fetch(PRICE_URL, { signal });
  if (!response.ok) return undefined;
  const { data } = (await response.json()) as { data: { megabytePrice: number | null } };
  return data.megabytePrice ?? undefined;
}
