import { useState } from 'react';

/** The last value that there was: a dialog that fades out goes on showing what it showed. */
export function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
