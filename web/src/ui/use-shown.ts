import { useEffect, useState } from 'react';

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
