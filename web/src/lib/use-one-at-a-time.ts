import { useRef } from 'react';

/**
 * Lets one run end before the next begins, and ignores what comes between: the second click of a double click arrives
 * before React has drawn the button as busy.
 */
export function useOneAtATime<Arguments extends unknown[]>(
  action: (...given: Arguments) => Promise<unknown>,
): (...given: Arguments) => Promise<void> {
  const isRunning = useRef(false);
  return async (...given) => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await action(...given);
    } finally {
      isRunning.current = false;
    }
  };
}
