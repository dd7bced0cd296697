import { z } from 'zod';

/** Both ports are inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Such as `20000-20999`. */
export const portRangeSchema = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'must look like 20000-20999')
  .transform((text) => text.split('-').map(Number) as [number, number])
  .refine(([first, last]) => first >= 1 && first <= last && last <= 65_535, 'must be a range of ports')
  .transform(([first, last]): PortRange => ({ first, last }));
