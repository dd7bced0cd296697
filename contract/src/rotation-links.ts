/** The link of a farm that changes the address of an exit. Its gateway calls it. */
import { z } from 'zod';
import { isMetadataAddress } from './network.ts';

const ROTATION_LINK_LENGTH_MAX = 2000;

/** No control characters, so that a value can end neither its line nor the request. */
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/;
/** A field of its own: none that says how the request is read, or where it goes. */
const REFUSED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const rotationLinkSchema = z.strictObject({
  method: z.enum(['GET', 'POST']),
  url: z.string().min(1).max(ROTATION_LINK_LENGTH_MAX).refine(isLink, 'must be an http or https URL'),
  /** One more header, such as an authorization. */
  header: z
    .strictObject({
      name: z
        .string()
        .max(100)
        .regex(/^[0-9A-Za-z-]+$/, 'must be the name of a header')
        .refine((name) => !REFUSED_HEADERS.has(name.toLowerCase()), 'is no header for a link'),
      value: z.string().max(ROTATION_LINK_LENGTH_MAX).regex(HEADER_VALUE, 'must be the value of a header'),
    })
    .optional(),
});
export type RotationLink = z.infer<typeof rotationLinkSchema>;

/** Which other addresses are refused is decided by the gateway, when it dials. */
function isLink(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    !isMetadataAddress(url.hostname.replaceAll(/^\[|\]$/g, ''))
  );
}
