import { type RefObject, useEffect, useRef } from 'react';

/** For an element that replaces a focused one: screen readers announce it, and Tab continues from it. */
export function useFocusOnMount<E extends HTMLElement>(): RefObject<E | null> {
  const target = useRef<E>(null);
  useEffect(() => target.current?.focus({ preventScroll: true }), []);
  return target;
}
