import {
  IconAntennaBars5,
  IconArrowBackUp,
  IconGauge,
  IconGift,
  IconMapSearch,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../../data/settings.ts';
import { formatMoney } from '../../format/format.ts';
import { listCoins } from '@cellhop/contract/coins';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useHasBeenIdle } from '../../loading/idle.ts';
import { hasTokens } from '../../session/tokens.ts';
import { useDocumentColorScheme } from '../../ui/color-scheme.ts';
import { Logo } from '../../ui/logo.tsx';
import { Switchers } from '../../ui/switchers.tsx';
import plain from '../../ui/plain.module.css';
import { HopPicture } from './hop-picture.tsx';
import classes from './landing-page.module.css';
import { ProductPicture } from './product-picture.tsx';

/** Loaded, with its texts, after the first paint: it is below the screen. */
const LandingFooter = lazy(async () => ({ default: (await import('./landing-footer.tsx')).LandingFooter }));

export function LandingPage() {
  const { t } = useTranslation('landing');
  const { brandName } = useSettings();
  useDocumentTitle();
  useDocumentColorScheme();
  const description = t('description');
  useEffect(() => {
    document.querySelector('meta[name="description"]')?.setAttribute('content', description);
  }, [description]);
  return (
    <div className={classes['page']}>
      <header className={classes['header']}>
        <Logo name={brandName} />
        <Switchers />
      </header>
      <main>
        <section className={classes['hero']}>
          <div className={classes['words']}>
            <h1>{t('title')}</h1>
            <p>{t('lead')}</p>
            <Actions />
          </div>
          <HopPicture />
        </section>
        <ProductPicture brandName={brandName} />
        <Benefits brandName={brandName} />
        <section className={classes['closing']}>
          <h2>{t('closingTitle')}</h2>
          <Actions />
        </section>
      </main>
      <LateFooter />
    </div>
  );
}

function LateFooter() {
  const hasBeenIdle = useHasBeenIdle();
  return <Suspense>{hasBeenIdle && <LandingFooter />}</Suspense>;
}

function Actions() {
  const { t } = useTranslation('landing');
  const { offer } = useSettings();
  if (hasTokens())
    return (
      <div className={classes['actions']}>
        <a href="/proxies" className={plain['button']}>
          {t('openApp')}
        </a>
      </div>
    );
  return (
    <div className={classes['actions']}>
      <a href={signUpPath(offer?.code)} className={plain['button']}>
        {offer?.credit ? t('signUpWithCredit', { credit: shortMoney(offer.credit) }) : t('signUp')}
      </a>
      <a href="/sign-in" className={plain['quiet']}>
        {t('signIn')}
      </a>
    </div>
  );
}

/** With the public promo code: without a code nobody can sign up. */
function signUpPath(code: string | undefined): string {
  return code === undefined ? '/sign-up' : `/sign-up?rc=${encodeURIComponent(code)}`;
}

/** "$1" instead of "$1.00", "$1,00" in Russian. */
function shortMoney(dollars: number): string {
  return formatMoney(dollars).replace(/[.,]00$/, '');
}

const benefits = [
  { key: 'mobile', Icon: IconAntennaBars5 },
  { key: 'search', Icon: IconMapSearch },
  { key: 'traffic', Icon: IconGauge },
  { key: 'refund', Icon: IconArrowBackUp },
  { key: 'trial', Icon: IconGift },
  { key: 'affiliate', Icon: IconUsers },
  { key: 'countries', Icon: IconWorld },
] as const;

function Benefits({ brandName }: { brandName: string }) {
  const { t, i18n } = useTranslation('landing');
  const { currencies } = useSettings();
  return (
    <section className={classes['section']}>
      <h2>{t('benefitsTitle')}</h2>
      <ul className={classes['grid']}>
        {benefits.map(({ key, Icon }) => (
          <li key={key}>
            <Icon size={26} stroke={1.5} aria-hidden="true" />
            <h3>{t(`benefits.${key}.title`)}</h3>
            <p>{t(`benefits.${key}.text`)}</p>
          </li>
        ))}
        <li className={classes['summary']}>
          <p>
            {t('summary', { brand: brandName })}
            {/* Only what this installation accepts; none is known until the settings are loaded. */}
            {currencies.length > 0 && ` ${t('currencies', { list: listCoins(currencies, i18n.language) })}`}
          </p>
        </li>
      </ul>
    </section>
  );
}
