import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import plain from '../../ui/plain.module.css';
import { Benefits } from './benefits.tsx';
import { CommonQuestions } from './common-questions.tsx';
import classes from './landing-details.module.css';
import { Prices } from './prices.tsx';
import { Proof } from './proof.tsx';
import { PurchaseAnimation } from './purchase-animation.tsx';
import { SignUpActions } from './sign-up-actions.tsx';
import type { KnownStock } from './stock.ts';

interface LandingDetailsProps {
  stock: KnownStock | null | undefined;
  /** Of all animations of the page, which need a way to stop them (WCAG 2.2.2). */
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
}

/** What the landing page says below the first screen. */
export function LandingDetails({ stock, isPaused, onPause }: LandingDetailsProps) {
  const { t } = useTranslation(['landingDetails', 'landing']);
  useEffect(() => {
    // Its link may have been followed before it was loaded.
    if (/^#\w+$/.test(location.hash)) document.querySelector(location.hash)?.scrollIntoView();
  }, []);
  return (
    <>
      <PurchaseAnimation isPaused={isPaused} onPause={onPause} />
      <Section id="prices" title={t('price.title')}>
        <Prices stock={stock} />
      </Section>
      <Section title={t('proof.title')}>
        <Proof />
      </Section>
      <Section title={t('benefitsTitle')}>
        <Benefits />
      </Section>
      <Section id="questions" title={t('faq.title')}>
        <CommonQuestions />
      </Section>
      <section className={classes['closing']}>
        <h2>{t('closingTitle')}</h2>
        <SignUpActions>
          <a href="/sign-in" className={plain['quiet']}>
            {t('landing:signIn')}
          </a>
        </SignUpActions>
      </section>
    </>
  );
}

function Section({ id, title, children }: { id?: string; title: string; children: ReactNode }) {
  return (
    <section id={id} className={classes['section']}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
