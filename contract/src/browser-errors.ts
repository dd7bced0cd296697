import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  BROWSER_ERROR_MESSAGE_LENGTH_MAX,
  BROWSER_ERROR_NAME_LENGTH_MAX,
  BROWSER_ERROR_PATH_LENGTH_MAX,
  BROWSER_ERROR_STACK_LENGTH_MAX,
} from './limits.ts';
import { data } from './schemas.ts';

const browserErrorBody = z.strictObject({
  name: z.string().max(BROWSER_ERROR_NAME_LENGTH_MAX),
  message: z.string().max(BROWSER_ERROR_MESSAGE_LENGTH_MAX),
  stack: z.string().max(BROWSER_ERROR_STACK_LENGTH_MAX).optional(),
  /** The path of the page, without the query string, which may contain secrets. */
  path: z.string().max(BROWSER_ERROR_PATH_LENGTH_MAX),
});
export type BrowserErrorBody = z.infer<typeof browserErrorBody>;

export const reportBrowserError = endpoint({
  method: 'POST',
  url: '/v1/browser-errors',
  access: 'public',
  summary: 'Report an error of the web app to the operators',
  body: browserErrorBody,
  status: 202,
  response: data(z.object({ isAccepted: z.literal(true) })),
  errors: ['RATE_LIMITED'],
});
