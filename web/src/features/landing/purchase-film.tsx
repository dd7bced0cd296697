import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ProductPicture } from './product-picture.tsx';
import classes from './purchase-film.module.css';

const steps = ['find', 'buy', 'use'] as const;

interface PurchaseFilmProps {
  isPaused: boolean;
  onPause: (isPaused: boolean) => void;
}

/** A purchase in some seconds, made of the product's screen and CSS. Without motion it is a picture of the end. */
export function PurchaseFilm({ isPaused, onPause }: PurchaseFilmProps) {
  const { t } = useTranslation('landingDetails');
  const Icon = isPaused ? IconPlayerPlayFilled : IconPlayerPauseFilled;
  return (
    <section className={classes['film']}>
      <ProductPicture label={t('film.label')} />
      <ol className={classes['steps']}>
        {steps.map((step) => (
          <li key={step} className={classes[step]}>
            <strong>{t(`film.${step}.title`)}</strong>
            {t(`film.${step}.text`)}
          </li>
        ))}
      </ol>
      <button
        type="button"
        className={classes['pause']}
        aria-label={t(isPaused ? 'film.play' : 'film.pause')}
        title={t(isPaused ? 'film.play' : 'film.pause')}
        onClick={() => onPause(!isPaused)}
      >
        <Icon size={16} aria-hidden="true" />
      </button>
    </section>
  );
}
