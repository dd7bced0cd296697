import { listFaqs } from '@cellhop/contract/faqs.plain';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isLanguage } from '../../i18n/languages.ts';
import { apiQuery } from '../../lib/query.ts';
import { useList } from '../../lib/use-list.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import classes from './faq-page.module.css';

/** Of the placeholders. */
const WIDTHS = ['38%', '30%', '46%', '34%', '42%'];

/** Each response is there for the browser's own search, which opens what it finds. */
export function FaqPage() {
  const { t, i18n } = useTranslation('faq');
  const languageCode = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : 'en';
  const { rows: items, failure } = useList(apiQuery(listFaqs, { query: { languageCode } }));
  if (failure !== undefined) return <LoadFailure text={t('failed')} {...failure} />;
  if (items?.length === 0)
    return (
      <EmptyList text={t('empty')}>
        <AskSupport />
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
      <div className={classes['list']}>
        {items.map(({ id, question, response }, index) => (
          <details key={id} className={classes['item']} open={index === 0}>
            <summary>{question}</summary>
            <p>{response}</p>
          </details>
        ))}
      </div>
      <p className={classes['more']}>
        {t('more')} <AskSupport />
      </p>
    </div>
  );
}

function AskSupport() {
  const { t } = useTranslation('faq');
  return (
    <Link to="/support/tickets" search={{ create: true }}>
      {t('ask')}
    </Link>
  );
}
