import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { closeToast, type Toast, TOAST_CLOSE_MS, useToasts } from '../lib/toasts.ts';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import classes from './toast-region.module.css';

export function ToastRegion() {
  const { t } = useTranslation();
  const toasts = useToasts();
  return (
    <section className={classes['region']} aria-label={t('messages')} aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, kind, text } }: { toast: Toast }) {
  const { t } = useTranslation();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => closeToast(id), TOAST_CLOSE_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    <div
      className={classes['toast']}
      data-kind={kind}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon className={classes['icon']} size={20} stroke={1.7} aria-hidden="true" />
      <p>{text}</p>
      <button type="button" aria-label={t('dismiss')} onClick={() => closeToast(id)}>
        <IconX size={16} aria-hidden="true" />
      </button>
    </div>
  );
}
