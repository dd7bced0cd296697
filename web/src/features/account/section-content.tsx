import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiQueryState } from '../../data/use-api-query.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import classes from './account-section.module.css';

interface SectionContentProps<Data> {
  state: Pick<ApiQueryState<{ data: Data }>, 'response' | 'failure'>;
  failedText: string;
  /** About as tall as the content, so that nothing below it moves. */
  placeholders: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows placeholders while a section of the account loads, then the content or the error. */
export function SectionContent<Data>({ state, failedText, placeholders, children }: SectionContentProps<Data>) {
  const { response, failure } = state;
  if (failure !== undefined)
    return (
      <div className={classes['padded']}>
        <LoadFailure text={failedText} {...failure} />
      </div>
    );
  if (response !== undefined) return children(response.data);
  return (
    <Stack p="lg" aria-busy="true">
      {placeholders}
    </Stack>
  );
}
