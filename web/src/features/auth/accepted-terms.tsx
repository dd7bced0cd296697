import type { LegalDocument } from '@cellhop/contract/legal-documents';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './auth-card.module.css';

/** The order in which the sentence names them, in both languages. */
const documents: readonly { key: 'terms' | 'use' | 'privacy'; document: LegalDocument }[] = [
  { key: 'terms', document: 'terms' },
  { key: 'use', document: 'acceptable-use' },
  { key: 'privacy', document: 'privacy' },
];
/** Placeholder for a link in the text. */
const LINK = '\u{FFFC}';

/** What a sign-up accepts. The texts open in another tab, so that the form keeps its input. */
export function AcceptedTerms() {
  const { t } = useTranslation('auth');
  const [start, ...rest] = t('signUp.terms', { terms: LINK, use: LINK, privacy: LINK }).split(LINK);
  return (
    <p className={classes['terms']}>
      {start}
      {documents.map(({ key, document }, index) => (
        <Fragment key={key}>
          <a href={`/legal/${document}`} target="_blank" rel="noopener">
            {t(`signUp.documents.${key}`)}
          </a>
          {rest[index]}
        </Fragment>
      ))}
    </p>
  );
}
