import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTopOverlay } from './open-overlays.ts';
import { isMovement } from '../hooks/use-hover.ts';
import { type PausableTimer, startPausableTimer } from './pausable-timer.ts';
import { closeToast, type Toast, TOAST_CLOSE_MS, TOAST_MAX_PAUSE_MS, useToasts } from './toasts.ts';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import classes from './toast-region.module.css';

export function ToastRegion() {
  const { t } = useTranslation();
  const toasts = useToasts();
  // Dialogs and popups leave space for one. The others wait, and are shown for their five seconds afterwards.
  const overlay = useTopOverlay();
  const shown = overlay === undefined ? toasts : toasts.slice(-1);
  return (
    <section className={classes['region']} data-overlay={overlay} aria-label={t('messages')} aria-live="polite">
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, kind, text, link } }: { toast: Toast }) {
  const { t } = useTranslation();
  const card = useRef<HTMLDivElement>(null);
  const timer = useRef<PausableTimer>(undefined);
  const [isFocused, setFocused] = useState(false);
  const isPaused = useHoverByPosition(card) || isFocused;
  useEffect(() => {
    const started = startPausableTimer(() => closeToast(id), {
      runsAfterMs: TOAST_CLOSE_MS,
      maxPauseMs: TOAST_MAX_PAUSE_MS,
    });
    timer.current = started;
    return () => started.stop();
  }, [id]);
  useEffect(() => timer.current?.setPaused(isPaused), [isPaused]);
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertTriangle;
  return (
    <div
      ref={card}
      className={classes['toast']}
      data-kind={kind}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <Icon className={classes['icon']} size={20} stroke={1.7} aria-hidden="true" />
      <p>
        {text}
        {link !== undefined && (
          <Link to={link.href} className={classes['link']} onClick={() => closeToast(id)}>
            {link.label}
          </Link>
        )}
      </p>
      <button type="button" aria-label={t('dismiss')} onClick={() => closeToast(id)}>
        <IconX size={16} aria-hidden="true" />
      </button>
    </div>
  );
}

/**
 * Whether the pointer was moved onto an element and is still there. Uses coordinates, because the element may ignore
 * pointer events.
 */
function useHoverByPosition(ref: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    function follow(event: PointerEvent) {
      const { pointerType, clientX: x, clientY: y } = event;
      // Touch pointers do not report when they leave.
      if (pointerType === 'touch' || ref.current === null) return;
      const { left, right, top, bottom } = ref.current.getBoundingClientRect();
      const isInside = x >= left && x <= right && y >= top && y <= bottom;
      if (isMovement(event) || !isInside) setOver(isInside);
    }
    const leave = () => setOver(false);
    document.addEventListener('pointermove', follow);
    document.documentElement.addEventListener('pointerleave', leave);
    return () => {
      document.removeEventListener('pointermove', follow);
      document.documentElement.removeEventListener('pointerleave', leave);
    };
  }, [ref]);
  return isOver;
}
