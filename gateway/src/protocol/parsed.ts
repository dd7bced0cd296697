import type { FailureCause } from '../statuses.ts';

/** The result of an incremental parser. `length` is the number of consumed bytes. */
export type Parsed<Message> =
  | { readonly kind: 'more' }
  | { readonly kind: 'message'; readonly message: Message; readonly length: number }
  | { readonly kind: 'failure'; readonly cause: FailureCause };

export const needMore = { kind: 'more' } as const;

export const parsedMessage = <Message>(message: Message, length: number): Parsed<Message> => ({
  kind: 'message',
  message,
  length,
});

export const parseFailure = (cause: FailureCause) => ({ kind: 'failure', cause }) as const;
