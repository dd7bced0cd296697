import type { LegalDocument } from '@cellhop/contract/legal-documents';
import { useTranslation } from 'react-i18next';
import { FALLBACK_LANGUAGE, isLanguage } from '../../i18n/languages.ts';
import { apiQuery } from '../../data/query.ts';
import { useSettings } from '../../data/settings.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { LinkedText } from '../../ui/linked-text.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { legalBlocks } from './legal-blocks.ts';
import classes from './legal-page.module.css';

/** The operator's text; without one, the default text. */
export function LegalPage({ document }: { document: LegalDocument }) {
  const { t, i18n } = useTranslation('legal');
  const languageCode = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : FALLBACK_LANGUAGE;
  const { response, failure } = useApiQuery(
    apiQuery('GET /v1/legal/{document}', { params: { document }, query: { languageCode } }),
  );
  const title = t(`titles.${document}`);
  useDocumentTitle(title);
  return (
    <article className={classes['page']} aria-busy={response === undefined && failure === undefined}>
      <h1 tabIndex={-1}>{title}</h1>
      {failure !== undefined && <LoadFailure text={t('failed')} {...failure} />}
      {response !== undefined && <Text own={response.data.text} document={document} />}
    </article>
  );
}

function Text({ own, document }: { own: string | null; document: LegalDocument }) {
  const { t } = useTranslation('legal');
  const { brandName: brand, contactEmail, refundMinutes: count } = useSettings();
  const contact = contactEmail === null ? t('support') : t('write', { email: contactEmail });
  const text = own ?? `${t(`texts.${document}`, { brand, count })}\n\n${contact}`;
  return legalBlocks(text).map(({ isHeading, text }) =>
    isHeading ? (
      <h2 key={text}>{text}</h2>
    ) : (
      <p key={text}>
        <LinkedText text={text} />
      </p>
    ),
  );
}
