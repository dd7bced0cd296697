import { useState, useEffect, useRef } from 'react';

/** The last value that was not undefined, so that a closing dialog keeps its content while it fades out. */
export function useLastDefined<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

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
