import { plain } from './endpoint.ts';
import type * as full from './browser-errors.ts';

export const reportBrowserError = plain<typeof full.reportBrowserError>({
  method: 'POST',
  url: '/v1/browser-errors',
  access: 'public',
});
