/** The customer's company, as printed on their monthly statements. */
import { z } from 'zod';
import { isTaxId } from './company.values.ts';
import { endpoint } from './endpoint.ts';
import { COMPANY_ADDRESS_LENGTH_MAX, COMPANY_NAME_LENGTH_MAX, TAX_ID_LENGTH_MAX } from './limits.ts';
import { data } from './schemas.ts';

/** Line breaks are allowed only in texts with several lines. */
const line = (maximum: number) =>
  z
    .string()
    .trim()
    .max(maximum)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters');

/** Empty texts: not given. */
const companySchema = z.strictObject({
  name: line(COMPANY_NAME_LENGTH_MAX),
  address: z
    .string()
    .trim()
    .max(COMPANY_ADDRESS_LENGTH_MAX)
    .regex(/^(?:\P{Cc}|\n)*$/u, 'must have no control characters but line feeds'),
  taxId: line(TAX_ID_LENGTH_MAX).refine(isTaxId, 'must be letters and digits, with spaces, dots, hyphens or slashes'),
});
export type Company = z.infer<typeof companySchema>;

export const getCompany = endpoint({
  method: 'GET',
  url: '/v1/profile/company',
  access: 'user',
  summary: "The user's company, as printed on monthly statements",
  response: data(companySchema),
});

export const saveCompany = endpoint({
  method: 'PUT',
  url: '/v1/profile/company',
  access: 'user',
  summary: 'Replace the company; empty texts remove it',
  body: companySchema,
  response: data(companySchema),
});
