import { Stack, Skeleton } from '@mantine/core';
import { type ReactNode, type Ref, useId } from 'react';
import type { ApiQueryState } from '../../data/use-api-query.ts';
import { LoadFailure } from '../../ui/list-state.tsx';
import classes from './account-section.module.css';

interface AccountSectionProps {
  /** Fragment for links: `/account#sessions`. */
  anchor: string;
  title: string;
  text: string;
  /** For moving the focus here when a focused button is removed. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** Title and description on the left, content in a card on the right. */
export function AccountSection({ anchor, title, text, headingRef, children }: AccountSectionProps) {
  const id = useId();
  return (
    <section id={anchor} className={classes['section']} aria-labelledby={id}>
      <div className={classes['about']}>
        <h2 id={id} ref={headingRef} tabIndex={-1}>
          {title}
        </h2>
        <p>{text}</p>
      </div>
      <div className={classes['card']}>{children}</div>
    </section>
  );
}

interface SectionContentProps<Data> {
  state: Pick<ApiQueryState<{ data: Data }>, 'response' | 'failure'>;
  failedText: string;
  /** Heights of placeholders, about as tall as the content, so that nothing below it moves. */
  placeholders: readonly number[];
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
      {placeholders.map((height, index) => (
        // Placeholders can only be identified by their index.
        // oxlint-disable-next-line react/no-array-index-key
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  );
}
