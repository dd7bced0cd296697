import { useEffect, useRef } from 'react';

/** Calls `action` with the previous value after each change of `value`; not for the first value. */
export function useOnChange<T>(value: T, action: (before: T) => void): void {
  const last = useRef(value);
  useEffect(() => {
    const before = last.current;
    if (Object.is(before, value)) return;
    last.current = value;
    action(before);
  });
}
