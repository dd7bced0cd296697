import type { ReactNode } from 'react';
import type { Failure } from '../data/use-api-query.ts';
import { LoadFailure } from './list-state.tsx';

interface PageFailureProps {
  failure: Failure;
  text: string;
  /** For a URL of nothing, where a retry does not help: says so, and leads to the list. */
  missingText: string;
  list: ReactNode;
}

/** Replaces a page about one thing, such as a ticket, that failed to load. */
export function PageFailure({ failure, text, missingText, list }: PageFailureProps) {
  const isMissing = failure.error.code === 'NOT_FOUND' || failure.error.code === 'VALIDATION';
  if (!isMissing) return <LoadFailure text={text} {...failure} />;
  return (
    <LoadFailure text={text}>
      <span>{missingText}</span>
      {list}
    </LoadFailure>
  );
}
