import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useAsOverlay } from './open-overlays.ts';

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
