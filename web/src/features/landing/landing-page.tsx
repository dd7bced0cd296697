import { visitorPages, visitorPath } from '@cellhop/contract/visitor-pages';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { readLanguage } from '../../i18n/languages.ts';
import { loadTexts } from '../../i18n/setup.ts';
import { useHasBeenIdle } from '../../loading/idle.ts';
import { hasTokens } from '../../session/tokens.ts';
import { useDocumentColorScheme } from '../../ui/color-scheme.ts';
import { Logo } from '../../ui/logo.tsx';
import plain from '../../ui/plain.module.css';
import { LanguageSwitcher, ThemeSwitcher } from '../../ui/switchers.tsx';
import { HopPicture } from './hop-picture.tsx';
import classes from './landing-page.module.css';
import { SignUpActions } from './sign-up-actions.tsx';
import { StockFacts } from './stock-facts.tsx';
import { useStock } from './stock.ts';

const loadDetailTexts = loadTexts('landingDetails', 'legal', 'country');
/** All that is below the first screen. Loaded, with its texts, after the first paint. */
const LandingDetails = lazy(async () => {
  const [{ LandingDetails: component }] = await Promise.all([import('./landing-details.tsx'), loadDetailTexts()]);
  return { default: component };
});
const LandingFooter = lazy(async () => {
  const [{ LandingFooter: component }] = await Promise.all([import('./landing-footer.tsx'), loadDetailTexts()]);
  return { default: component };
});

export function LandingPage() {
  const { t } = useTranslation('landing');
  const { brandName } = useSettings();
  const stock = useStock();
  const hasBeenIdle = useHasBeenIdle();
  const [isPaused, setIsPaused] = useState(false);
  useDocumentTitle();
  useDocumentColorScheme();
  const description = t('description');
  useEffect(() => {
    document.querySelector('meta[name="description"]')?.setAttribute('content', description);
  }, [description]);
  return (
    <div className={classes['page']} data-is-paused={isPaused}>
      <Header brandName={brandName} />
      <main>
        <section className={classes['hero']}>
          <div className={classes['words']}>
            <h1>{t('title')}</h1>
            <p>{t('lead')}</p>
            <SignUpActions>
              <a href="#prices" className={plain['quiet']}>
                {t('seePrices')}
              </a>
            </SignUpActions>
          </div>
          <StockFacts stock={stock} />
          <HopPicture />
        </section>
        <Suspense>{hasBeenIdle && <LandingDetails stock={stock} isPaused={isPaused} onPause={setIsPaused} />}</Suspense>
      </main>
      <Suspense>{hasBeenIdle && <LandingFooter price={stock?.megabytePrice} />}</Suspense>
    </div>
  );
}

function Header({ brandName }: { brandName: string }) {
  const { t, i18n } = useTranslation('landing');
  const isMember = hasTokens();
  return (
    <header className={classes['header']}>
      <Logo name={brandName} />
      <nav>
        {visitorPages.map((page) => (
          <a key={page} href={visitorPath(readLanguage(i18n), page)}>
            {t(page)}
          </a>
        ))}
        <a href="#questions">{t('questions')}</a>
      </nav>
      <div className={classes['controls']}>
        <LanguageSwitcher />
        <span className={classes['theme']}>
          <ThemeSwitcher />
        </span>
        <a href={isMember ? '/proxies' : '/sign-in'} className={plain['quiet']}>
          {t(isMember ? 'openApp' : 'signIn')}
        </a>
      </div>
    </header>
  );
}
