/** The header and the footer of all public pages, as api/src/modules/visitor-pages/frame.ts renders them, for pages of the app. */
import '../frame.css';
import { legalDocuments } from '@cellhop/contract/legal-documents';
import { visitorPages, visitorPath } from '@cellhop/contract/visitor-pages';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../data/settings.ts';
import { languages, readLanguage } from '../i18n/languages.ts';
import { changeLanguage } from '../session/change-language.ts';
import { hasTokens } from '../session/tokens.ts';
import { Logo } from './logo.tsx';
import { ThemeSwitcher } from './switchers.tsx';

/** Its texts are in `legal`. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className="page">
      <Header />
      {children}
      <Footer />
    </div>
  );
}

function Header() {
  const { t, i18n } = useTranslation(['legal', 'common']);
  const { brandName } = useSettings();
  const language = readLanguage(i18n);
  return (
    <header className="header">
      <a href={visitorPath(language, 'home')} className="logo">
        <Logo name={brandName} />
      </a>
      <nav className="pages" aria-label={t('frame.pages')}>
        <PageLinks />
      </nav>
      <nav className="languages" aria-label={t('common:language')}>
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            lang={each}
            title={t(`common:languages.${each}`)}
            aria-label={t(`common:languages.${each}`)}
            aria-current={each === language || undefined}
            onClick={() => void changeLanguage(each)}
          >
            {each.toUpperCase()}
          </button>
        ))}
      </nav>
      <a className="quiet" href={hasTokens() ? '/proxies' : '/sign-in'}>
        {t(hasTokens() ? 'frame.openApp' : 'frame.signIn')}
      </a>
    </header>
  );
}

function PageLinks() {
  const { t, i18n } = useTranslation('legal');
  return visitorPages.map((page) => (
    <a key={page} href={visitorPath(readLanguage(i18n), page)}>
      {t(`frame.${page}`)}
    </a>
  ));
}

function Footer() {
  const { t } = useTranslation('legal');
  const { contactEmail, abuseEmail } = useSettings();
  return (
    <footer className="footer">
      <nav aria-label={t('frame.links')}>
        <PageLinks />
        {legalDocuments.map((document) => (
          <a key={document} href={`/legal/${document}`}>
            {t(`titles.${document}`)}
          </a>
        ))}
        {contactEmail !== null && <a href={`mailto:${contactEmail}`}>{t('contact')}</a>}
        {abuseEmail !== null && abuseEmail !== contactEmail && <a href={`mailto:${abuseEmail}`}>{t('abuse')}</a>}
      </nav>
      <ThemeSwitcher />
    </footer>
  );
}
