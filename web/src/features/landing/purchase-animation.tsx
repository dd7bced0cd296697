import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ProductPicture } from './product-picture.tsx';
import classes from './purchase-animation.module.css';

const steps = ['find', 'buy', 'use'] as const;

interface PurchaseAnimationProps {
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
}

/** A purchase in 14 seconds: the picture of the product, animated by CSS. With reduced motion it is the last frame. */
export function PurchaseAnimation({ isPaused, onPause }: PurchaseAnimationProps) {
  const { t } = useTranslation('landingDetails');
  const Icon = isPaused ? IconPlayerPlayFilled : IconPlayerPauseFilled;
  return (
    <section className={classes['animation']}>
      <ProductPicture label={t('animation.label')} />
      <ol className={classes['steps']}>
        {steps.map((step) => (
          <li key={step} className={classes[step]}>
            <strong>{t(`animation.${step}.title`)}</strong>
            {t(`animation.${step}.text`)}
          </li>
        ))}
      </ol>
      <button
        type="button"
        className={classes['pause']}
        aria-label={t(isPaused ? 'animation.play' : 'animation.pause')}
        title={t(isPaused ? 'animation.play' : 'animation.pause')}
        onClick={() => onPause(!isPaused)}
      >
        <Icon size={16} aria-hidden="true" />
      </button>
    </section>
  );
}
