import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { currencies } from './invoices.values.ts';
import { data, dollarsSchema } from './schemas.ts';

/** Who sells, as papers name it. Empty texts: not given. Address and note may have several lines. */
const sellerSchema = z.object({
  name: z.string(),
  address: z.string(),
  /** The entry in a register of companies. */
  register: z.string(),
  vatId: z.string(),
  note: z.string(),
});
export type Seller = z.infer<typeof sellerSchema>;

/** Settings of the installation that the web app needs before sign-in. */
export const settingsSchema = z.object({
  brandName: z.string(),
  isDevelopment: z.boolean(),
  /** Origin under which customers reach the service, without a trailing slash. */
  publicUrl: z.string(),
  /** The address that blocked users can write to. */
  contactEmail: z.string().nullable(),
  /** Where to report abuse of a proxy. */
  abuseEmail: z.string().nullable(),
  /** Null if the operator has not set it. */
  seller: sellerSchema.nullable(),
  /** The operator's own logo; null: that of Cellhop. */
  logo: z
    .object({
      /** It has the name in it. */
      isWide: z.boolean(),
      /** There is another one for the dark theme. */
      hasDark: z.boolean(),
    })
    .nullable(),
  /** How long after the purchase a connection that ends is refunded, in minutes. */
  refundMinutes: z.number().positive(),
  /** After how long without traffic a connection ends, in minutes. */
  idleMinutes: z.number().positive(),
  /** The currencies that are set up. */
  currencies: z.array(z.enum(currencies)),
  /** The promo code that visitors get, and the trial credit that it gives now, in US dollars; null without one. */
  offer: z.object({ code: z.string(), credit: dollarsSchema.nullable() }).nullable(),
});
export type Settings = z.infer<typeof settingsSchema>;
export const getSettings = endpoint({
  method: 'GET',
  url: '/v1/settings',
  access: 'public',
  summary: 'Public settings of this installation',
  response: data(settingsSchema),
});
