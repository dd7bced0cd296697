import { type LegalDocument, legalDocuments } from '@cellhop/contract/legal-documents';
import { ADDRESS_DAYS, NOTICE_DAYS, PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { QueryClientProvider } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { readLanguage } from '../../i18n/languages.ts';
import { apiQuery, queryClient } from '../../data/query.ts';
import { useSettings } from '../../data/settings.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { useSellerLines } from '../../hooks/use-seller-lines.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams } from '../../loading/use-screen.ts';
import { LinkedText } from '../../ui/linked-text.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { NotFoundPage } from '../../ui/message-screen.tsx';
import { PublicFrame } from '../../ui/public-frame.tsx';
import { legalBlocks } from './legal-blocks.ts';
import classes from './legal-page.module.css';
import { legalScreen } from './screen.ts';

export function LegalPage() {
  const { document } = useScreenParams(legalScreen);
  const known = legalDocuments.find((each) => each === document);
  if (known === undefined) return <NotFoundPage />;
  return (
    <QueryClientProvider client={queryClient}>
      <PublicFrame>
        <main>
          <Article document={known} />
        </main>
      </PublicFrame>
    </QueryClientProvider>
  );
}

/** The operator's text; without one, the default text. */
function Article({ document }: { document: LegalDocument }) {
  const { t, i18n } = useTranslation(['legal', 'legalTexts']);
  const languageCode = readLanguage(i18n);
  const { response, failure } = useApiQuery(
    apiQuery('GET /v1/legal/{document}', { params: { document }, query: { languageCode } }),
  );
  const title = t(`titles.${document}`);
  useDocumentTitle(title);
  return (
    <article className={classes['page']} aria-busy={response === undefined && failure === undefined}>
      <h1 tabIndex={-1}>{title}</h1>
      {failure !== undefined && <LoadFailure text={t('legalTexts:failed')} {...failure} />}
      {response !== undefined && <Text own={response.data.text} document={document} />}
    </article>
  );
}

const reportsAbuse: ReadonlySet<LegalDocument> = new Set(['acceptable-use', 'imprint']);

function Text({ own, document }: { own: string | null; document: LegalDocument }) {
  const { t } = useTranslation(['legalTexts', 'user']);
  const { brandName, contactEmail, abuseEmail, seller } = useSettings();
  const facts = {
    brand: brandName,
    ...useShopTimes(),
    prepaid: PREPAID_MEGABYTES,
    addressDays: ADDRESS_DAYS,
    noticeDays: NOTICE_DAYS,
    deletion: t('user:deletion.open'),
    seller: useSellerLines().join('\n'),
    note: seller?.note ?? '',
  };
  const contact = contactEmail === null ? t('support') : t('write', { email: contactEmail });
  const abuse = abuseEmail !== null && reportsAbuse.has(document) ? `${t('abuse', { email: abuseEmail })}\n\n` : '';
  const text = own ?? `${t(`documents.${document}`, facts)}\n\n${abuse}${contact}`;
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
