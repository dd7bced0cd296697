import { startTransition, useEffect, useState } from 'react';

interface Steps {
  first: number;
  further: number;
}

/**
 * How many of `count` things to render by now: the first of them at once, then a few at a time, each time only when
 * nothing else is to do, so that many of them never hold up a click. After a time without any it begins anew.
 */
export function useGradually(count: number, { first, further }: Steps): number {
  const [limit, setLimit] = useState(first);
  if (count === 0 && limit !== first) setLimit(first);
  useEffect(() => {
    if (limit < count) startTransition(() => setLimit(limit + further));
  }, [limit, count, further]);
  return Math.min(limit, count);
}
