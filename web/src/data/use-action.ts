import type { CallOptions } from '@cellhop/contract/client';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { showErrorToast } from './error-text.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { invalidate, queryClient, type Topic } from './query.ts';
import { showToast } from '../ui/toasts.ts';

export interface ActionOptions<Input, Result> {
  /** Calls the API; `withKey()` returns the header for endpoints that take an idempotency key. */
  call: (input: Input, withKey: () => CallOptions) => Promise<Result>;
  /** Queries with these topics are fetched again, whether the action succeeds or fails. */
  changes?: readonly Topic[];
  /** Text of the success toast; `warning` if it is no success yet. */
  successText?: (result: Result, input: Input) => string | { warning: string };
  /** The action runs until this resolves. */
  onSuccess?: (result: Result, input: Input) => void | Promise<void>;
  /** A failure shows a toast unless this returns 'HANDLED'. */
  onError?: (error: unknown, input: Input) => 'HANDLED' | undefined | void;
  /** Actions with different locks may run concurrently, such as one per row. */
  lockFor?: (input: Input) => string;
}

export interface Action<Input, Result> {
  /** @returns undefined when it failed, or was ignored because one is already running */
  run: (input: Input, callbacks?: RunCallbacks<Result>) => Promise<Result | undefined>;
  isRunning: boolean;
  /** The input of the last run; `result` and `error` belong to it. */
  input: Input | undefined;
  result: Result | undefined;
  error: Error | null;
  reset: () => void;
}

interface RunCallbacks<Result> {
  /** Not called after the component has unmounted. */
  onSuccess?: (result: Result) => void;
}

/** For forms, which show `error` above their fields instead of a toast. */
export const shownInForm = () => 'HANDLED' as const;

/**
 * A user's action. Runs once at a time, because the second click of a double click arrives before React renders the
 * busy button. Repeatable, because a repeat after a lost response has the same idempotency key.
 */
export function useAction<Input, Result>(options: ActionOptions<Input, Result>): Action<Input, Result> {
  const { call, changes, successText, onSuccess, onError, lockFor = () => '' } = options;
  const locks = useRef(new Set<string>());
  const [keys] = useState(idempotencyKeys);
  const mutation = useMutation(
    {
      // The input may contain a password.
      gcTime: 0,
      mutationFn: (input: Input) => call(input, () => ({ headers: { 'idempotency-key': keys.keyFor(input) } })),
      onSuccess: async (result, input) => {
        keys.forget();
        await onSuccess?.(result, input);
      },
    },
    // Pages of visitors have no query client provider.
    queryClient,
  );

  async function run(input: Input, callbacks: RunCallbacks<Result> = {}): Promise<Result | undefined> {
    const lock = lockFor(input);
    if (locks.current.has(lock)) return undefined;
    locks.current.add(lock);
    try {
      const result = await mutation.mutateAsync(input, callbacks);
      const text = successText?.(result, input);
      if (typeof text === 'string') showToast('success', text);
      else if (text !== undefined) showToast('warning', text.warning);
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
