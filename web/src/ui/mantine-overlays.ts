import { useEffect, useState, type RefObject, useLayoutEffect, useRef } from 'react';
import { useAsOverlay } from './open-overlays.ts';

/**
 * Whether a dialog of Mantine is shown, which may be mounted to be opened. It opens in an effect, so that the focus returns to the
 * element that had it before. Its content is mounted one render after the dialog, and what is open from its first render on does not
 * fade in: so it opens another render later.
 */
export function useShown(isOpen: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  const [isShown, setShown] = useState(false);
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => setMounted(true), []);
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => setShown(isOpen && isMounted), [isOpen, isMounted]);
  return isShown;
}

interface PopupTrigger {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** The button that opens the popup. */
  trigger: RefObject<HTMLButtonElement | null>;
}

/**
 * For a lazily loaded popup of the top bar that replaces a plain button which was clicked: focuses its own button, then
 * opens, so that the focus returns to the button when it closes.
 */
export function usePopupTrigger(): PopupTrigger {
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  useAsOverlay('popup', isOpen);
  useLayoutEffect(() => {
    trigger.current?.focus();
    // Rendered closed first: a popup that is open from the start does not know where to return the focus.
    // oxlint-disable-next-line react/set-state-in-effect
    setOpen(true);
  }, []);
  return { isOpen, setOpen, trigger };
}
