import { startTransition, useEffect, useState } from 'react';

interface Steps {
  first: number;
  step: number;
}

/**
 * How many of `count` items to render: the first ones immediately, then a few at a time in transitions, so that a long
 * list never delays a click. Starts again after the list was empty.
 */
export function useIncrementalCount(count: number, { first, step }: Steps): number {
  const [limit, setLimit] = useState(first);
  if (count === 0 && limit !== first) setLimit(first);
  useEffect(() => {
    if (limit < count) startTransition(() => setLimit(limit + step));
  }, [limit, count, step]);
  return Math.min(limit, count);
}
