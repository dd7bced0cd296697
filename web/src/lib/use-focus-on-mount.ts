import { type RefObject, useEffect, useRef } from 'react';

/** For what takes the place of something that had the focus: whoever hears the page is told, and Tab goes on from there. */
export function useFocusOnMount<E extends HTMLElement>(): RefObject<E | null> {
  const target = useRef<E>(null);
  useEffect(() => target.current?.focus({ preventScroll: true }), []);
  return target;
}
