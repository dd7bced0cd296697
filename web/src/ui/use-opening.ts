import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useAsOverlay } from '../lib/open-overlays.ts';

interface Opening {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** For the button. */
  opener: RefObject<HTMLButtonElement | null>;
}

/**
 * For a popup of the top bar that comes together with a button in the place of a plain one that was pressed: the new button takes the
 * focus, and then the popup opens, so that it gives the focus back when it closes.
 */
export function useOpening(): Opening {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  useAsOverlay('popup', isOpen);
  useLayoutEffect(() => {
    opener.current?.focus();
    // Drawn closed first: what opens at once does not know whom to give the focus back.
    // oxlint-disable-next-line react/set-state-in-effect
    setOpen(true);
  }, []);
  return { isOpen, setOpen, opener };
}
