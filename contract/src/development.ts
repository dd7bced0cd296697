/** Endpoints that exist in development only; in production their paths return 404. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { currencyAmountSchema } from './invoices.ts';
import { data, idParams } from './schemas.ts';

export const payInvoice = endpoint({
  method: 'POST',
  url: '/dev/invoices/{id}/pay',
  access: 'development',
  summary: 'Simulate a payment on the sandbox chain; by default the missing amount',
  params: idParams,
  body: z.strictObject({ amountInCurrency: currencyAmountSchema.optional() }).optional(),
  response: data(z.object({ transactionId: z.string(), amountInCurrency: z.string() })),
  status: 202,
  errors: ['NOT_FOUND'],
});

/** `GET /dev/mailbox` with `Accept: application/json`: the newest email first, as a bare array. */
export const mailSchema = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  links: z.array(z.string()),
});
export type Mail = z.infer<typeof mailSchema>;
export const mailboxSchema = z.array(mailSchema);

export const DOWNLOAD_MEGABYTES_MAX = 1024;
