import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { type Draft, draftOf } from './drafts.ts';
import { profileQuery } from './profile.ts';

/** @param isValid a function that stays the same one */
export function useDraft<T>(name: string, isValid: (value: unknown) => value is T): Draft<T> {
  const { data } = useQuery({ ...profileQuery, enabled: false });
  const owner = data?.data.id ?? '';
  return useMemo(() => draftOf(owner, name, isValid), [owner, name, isValid]);
}

/** Keeps each change of a form; whoever sends the form empties the draft. */
export function useKeptDraft<Values extends FieldValues, Sent>(
  form: UseFormReturn<Values, unknown, Sent>,
  draft: Draft<Partial<Values>>,
): void {
  const { subscribe } = form;
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ values }) => draft.write(values),
      }),
    [subscribe, draft],
  );
}
