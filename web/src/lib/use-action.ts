import type { CallOptions } from '@cellhop/contract/client';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { showErrorToast } from './error-text.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { invalidate, queryClient, type Topic } from './query.ts';
import { showToast } from './toasts.ts';

export interface ActionOptions<Input, Result> {
  /** Calls the API; `withKey()` gives the header where the endpoint takes an idempotency key. */
  call: (input: Input, withKey: () => CallOptions) => Promise<Result>;
  /** What depends on these topics is asked for again, however the action has ended. */
  changes?: readonly Topic[];
  /** Of the toast that tells of the success. */
  successText?: (result: Result, input: Input) => string;
  /** Part of the action: it is not over before. */
  onSuccess?: (result: Result, input: Input) => void | Promise<void>;
  /** A failure is told by a toast, unless this returns 'HANDLED'. */
  onError?: (error: unknown, input: Input) => 'HANDLED' | undefined | void;
  /** Actions with different locks may run at the same time: one of each row, say. */
  lockOf?: (input: Input) => string;
}

export interface Action<Input, Result> {
  /** @returns undefined when it has failed, or when it was ignored because one is running already */
  run: (input: Input, callbacks?: RunCallbacks<Result>) => Promise<Result | undefined>;
  isRunning: boolean;
  /** Of the last run, as are `result` and `error`. */
  input: Input | undefined;
  result: Result | undefined;
  error: Error | null;
  reset: () => void;
}

interface RunCallbacks<Result> {
  /** Only while the component is still there. */
  onSuccess?: (result: Result) => void;
}

/** For forms, which show `error` above their fields. */
export const shownInForm = () => 'HANDLED' as const;

/**
 * Something that the user does: one at a time, because the second click of a double click arrives before React has drawn the
 * button as busy; and repeatable, because a repeat after a lost answer has the same idempotency key.
 */
export function useAction<Input, Result>(options: ActionOptions<Input, Result>): Action<Input, Result> {
  const { call, changes, successText, onSuccess, onError, lockOf = () => '' } = options;
  const locks = useRef(new Set<string>());
  const [keys] = useState(idempotencyKeys);
  const mutation = useMutation(
    {
      // An input may be a password.
      gcTime: 0,
      mutationFn: (input: Input) => call(input, () => ({ headers: { 'idempotency-key': keys.keyOf(input) } })),
      onSuccess: async (result, input) => {
        keys.forget();
        await onSuccess?.(result, input);
      },
    },
    // Visitors' pages have no provider of it.
    queryClient,
  );

  async function run(input: Input, callbacks: RunCallbacks<Result> = {}): Promise<Result | undefined> {
    const lock = lockOf(input);
    if (locks.current.has(lock)) return undefined;
    locks.current.add(lock);
    try {
      const result = await mutation.mutateAsync(input, callbacks);
      if (successText !== undefined) showToast('success', successText(result, input));
      return result;
    } catch (error) {
      if (onError?.(error, input) !== 'HANDLED') showErrorToast(error);
      return undefined;
    } finally {
      locks.current.delete(lock);
      if (changes !== undefined) void invalidate(changes);
    }
  }

  const { isPending, variables, data, error, reset } = mutation;
  return { run, isRunning: isPending, input: variables, result: data, error, reset };
}
