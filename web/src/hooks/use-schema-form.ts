import { zodResolver } from '@hookform/resolvers/zod';
import {
  type DefaultValues,
  type FieldValues,
  get,
  type Resolver,
  set,
  useForm,
  type UseFormReturn,
} from 'react-hook-form';
import type { z } from 'zod';
import { formErrorMap } from '../data/form-errors.ts';

/**
 * A form whose fields are validated by a schema, with our own error keys. What the fields show is validated and submitted: password managers
 * and autofill set values without an event that React notices.
 */
export function useSchemaForm<Values extends FieldValues, Sent>(
  schema: z.ZodType<Sent, Values>,
  defaultValues: DefaultValues<Values>,
): UseFormReturn<Values, unknown, Sent> {
  const validate: Resolver<Values, unknown, Sent> = zodResolver(schema, { error: formErrorMap });
  return useForm<Values, unknown, Sent>({
    resolver: (values, context, options) => {
      takeShownTexts(values, options);
      return validate(values, context, options);
    },
    defaultValues,
  });
}

/** The form's values become what its elements contain. Controlled fields have no element, and keep their values. */
function takeShownTexts<Values extends FieldValues>(
  values: Values,
  { names = [], fields }: Parameters<Resolver<Values>>[2],
): void {
  for (const name of names) {
    const element: unknown = get<typeof fields, { ref?: unknown } | undefined>(fields, name)?.ref;
    if (element instanceof HTMLElement && 'value' in element && element.isConnected) set(values, name, element.value);
  }
}
