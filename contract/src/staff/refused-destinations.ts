import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  addressSchema,
  data,
  dateInputSchema,
  dateSchema,
  idParams,
  idSchema,
  listed,
  listQuery,
  plainText,
  reasonSchema,
} from '../schemas.ts';

export const DESTINATION_LENGTH_MAX = 300;
export const LIST_NAME_LENGTH_MAX = 60;
/** A file of REFUSED_DESTINATIONS_MAX lines with comments. */
export const DESTINATION_FILE_BYTES_MAX = 4 * 1_048_576;

const listNameSchema = plainText(1, LIST_NAME_LENGTH_MAX);
const destinationSchema = plainText(1, DESTINATION_LENGTH_MAX);

const refusedDestinationSchema = z.object({
  id: idSchema,
  /** `example.com`; `.example.com` with everything below it; or a network. */
  destination: z.string(),
  /** The file that it is from; null: a member of staff has entered it. */
  list: z.string().nullable(),
  reason: z.string().nullable(),
  createdAt: dateSchema,
});
export type RefusedDestination = z.infer<typeof refusedDestinationSchema>;

export const listRefusedDestinations = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/refused-destinations',
  access: { permission: 'PROXIES_READ' },
  summary: 'Destinations that no customer may reach; the newest first',
  query: z.strictObject({
    ...listQuery,
    /** A part of the destination. */
    search: destinationSchema.optional(),
    list: listNameSchema.optional(),
  }),
  response: listed(refusedDestinationSchema),
});

export const refuseDestination = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/refused-destinations',
  access: { permission: 'PROXIES_EDIT' },
  summary:
    'Refuse a name, a name with everything below it, an address or a network to all customers; a repeat changes nothing',
  body: z.strictObject({
    destination: destinationSchema,
    reason: reasonSchema,
    /** What somebody complained about: the address of an exit, and when. The audit log gets the connections that had it. */
    complaint: z.strictObject({ ip: addressSchema, at: dateInputSchema }).optional(),
  }),
  response: data(refusedDestinationSchema),
  status: 201,
  errors: ['TOO_MANY_DESTINATIONS'],
});

export const allowDestination = endpoint({
  method: 'DELETE',
  url: '/v1/proxies/admin/refused-destinations/{id}',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Remove an entry; another one may still refuse the destination',
  params: idParams,
  response: data(z.object({ id: idSchema })),
  errors: ['NOT_FOUND'],
});

const destinationListSchema = z.object({ list: z.string(), entries: z.int(), importedAt: dateSchema });
export type DestinationList = z.infer<typeof destinationListSchema>;

export const listDestinationLists = endpoint({
  method: 'GET',
  url: '/v1/proxies/admin/destination-lists',
  access: { permission: 'PROXIES_READ' },
  summary: 'The lists of refused destinations that files have brought',
  response: data(z.array(destinationListSchema)),
});

export const importDestinationList = endpoint({
  method: 'POST',
  url: '/v1/proxies/admin/destination-lists',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Replace a list by a text file: a destination in each line, or a hosts file; # begins a comment',
  query: z.strictObject({ list: listNameSchema }),
  response: data(
    z.object({
      /** Entries of the list now. */
      entries: z.int(),
      added: z.int(),
      removed: z.int(),
      /** The first lines that are no destinations: then nothing has changed. */
      errors: z.array(z.object({ line: z.int(), text: z.string() })),
      errorCount: z.int(),
    }),
  ),
  errors: ['TOO_MANY_DESTINATIONS'],
});

export const removeDestinationList = endpoint({
  method: 'DELETE',
  url: '/v1/proxies/admin/destination-lists',
  access: { permission: 'PROXIES_EDIT' },
  summary: 'Remove a list with all its entries',
  query: z.strictObject({ list: listNameSchema }),
  response: data(z.object({ list: z.string(), removed: z.int() })),
  errors: ['NOT_FOUND'],
});
