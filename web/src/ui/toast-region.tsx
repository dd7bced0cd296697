import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isMovement } from '../lib/pointer.ts';
import { type PausableTimer, startPausableTimer } from '../lib/pausable-timer.ts';
import { closeToast, type Toast, TOAST_CLOSE_MS, TOAST_PAUSES_MS, useToasts } from '../lib/toasts.ts';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import classes from './toast-region.module.css';

/** Dialogs keep off the part of the screen above it (dialog-space.css). */
const END_PROPERTY = '--toasts-end';

export function ToastRegion() {
  const { t } = useTranslation();
  const toasts = useToasts();
  const region = useRef<HTMLElement>(null);
  // After every render: it is drawn again when a message comes or goes, and at no other time.
  useLayoutEffect(() => publishEnd(region.current!));
  useEffect(() => {
    // Lines break elsewhere when a phone is turned.
    const observer = new ResizeObserver(() => publishEnd(region.current!));
    observer.observe(region.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <section ref={region} className={classes['region']} aria-label={t('messages')} aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, kind, text } }: { toast: Toast }) {
  const { t } = useTranslation();
  const card = useRef<HTMLDivElement>(null);
  const timer = useRef<PausableTimer>(undefined);
  const [isFocused, setFocused] = useState(false);
  const isPaused = usePointerMovedOver(card) || isFocused;
  useEffect(() => {
    const started = startPausableTimer(() => closeToast(id), {
      runsAfterMs: TOAST_CLOSE_MS,
      pausesForMs: TOAST_PAUSES_MS,
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
      <p>{text}</p>
      <button type="button" aria-label={t('dismiss')} onClick={() => closeToast(id)}>
        <IconX size={16} aria-hidden="true" />
      </button>
    </div>
  );
}

/** Whether the pointer was moved onto an element and is still there. The element need not take pointer events itself. */
function usePointerMovedOver(ref: RefObject<HTMLElement | null>): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    function follow(event: PointerEvent) {
      const { pointerType, clientX: x, clientY: y } = event;
      // A finger that scrolls past does not say when it has gone.
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

function publishEnd({ childElementCount, offsetTop, offsetHeight }: HTMLElement): void {
  const { style } = document.documentElement;
  if (childElementCount === 0) style.removeProperty(END_PROPERTY);
  else style.setProperty(END_PROPERTY, `${offsetTop + offsetHeight + 8}px`);
}
