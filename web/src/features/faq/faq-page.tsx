import type { Faq } from '@cellhop/contract/faq';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isLanguage } from '../../i18n/languages.ts';
import { apiQuery } from '../../data/query.ts';
import { useList } from '../../data/use-list.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import classes from './faq-page.module.css';

/** Number of placeholders. */
const WIDTHS = ['38%', '30%', '46%', '34%', '42%'];

/** Closed answers stay in the document, so that the browser's own search finds and opens them. */
export function FaqPage() {
  const { t, i18n } = useTranslation('faq');
  const languageCode = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : 'en';
  const { rows: items, failure } = useList(apiQuery('GET /v1/faqs', { query: { languageCode } }));
  if (failure !== undefined) return <LoadFailure text={t('failed')} {...failure} />;
  if (items?.length === 0)
    return (
      <EmptyList text={t('empty')}>
        <SupportLink />
      </EmptyList>
    );
  if (items === undefined)
    return (
      <div className={classes['page']} aria-busy="true">
        <div className={classes['list']}>
          {WIDTHS.map((width) => (
            <div key={width} className={classes['item']} aria-hidden="true">
              <Skeleton className={classes['placeholder'] ?? ''} height={18} width={width} />
            </div>
          ))}
        </div>
      </div>
    );
  return (
    <div className={classes['page']}>
      <FaqList items={items} />
      <p className={classes['more']}>
        {t('more')} <SupportLink />
      </p>
    </div>
  );
}

export function FaqList({ items }: { items: readonly Faq[] }) {
  return (
    <div className={classes['list']}>
      {items.map(({ id, question, response }, index) => (
        <details key={id} className={classes['item']} open={index === 0}>
          <summary>{question}</summary>
          <p>{response}</p>
        </details>
      ))}
    </div>
  );
}

function SupportLink() {
  const { t } = useTranslation('faq');
  return (
    <Link to="/support/tickets" search={{ create: true }}>
      {t('ask')}
    </Link>
  );
}
