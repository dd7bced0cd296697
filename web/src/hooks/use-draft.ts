import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { type Draft, createDraft } from '../data/drafts.ts';
import { profileQuery } from '../session/profile.ts';

/** @param isValid must be a stable function */
export function useDraft<T>(name: string, isValid: (value: unknown) => value is T): Draft<T> {
  const { data } = useQuery({ ...profileQuery, enabled: false });
  const owner = data?.data.id ?? '';
  return useMemo(() => createDraft(owner, name, isValid), [owner, name, isValid]);
}

/** Saves each change of a form as a draft; the sender of the form clears it. */
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

/** Accepts a stored draft whose fields are texts. */
export function textDraft<Values extends object>(...names: (keyof Values)[]) {
  return (value: unknown): value is Partial<Values> =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => ['undefined', 'string'].includes(typeof (value as Values)[name]));
}
