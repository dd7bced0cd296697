import { zodResolver } from '@hookform/resolvers/zod';
import { type DefaultValues, type FieldValues, useForm, type UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { formErrorMap } from '../data/form-errors.ts';

/** A form whose fields are validated by a schema, with our own error keys. */
export function useSchemaForm<Values extends FieldValues, Sent>(
  schema: z.ZodType<Sent, Values>,
  defaultValues: DefaultValues<Values>,
): UseFormReturn<Values, unknown, Sent> {
  return useForm<Values, unknown, Sent>({ resolver: zodResolver(schema, { error: formErrorMap }), defaultValues });
}
