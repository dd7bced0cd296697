import { plain } from './endpoint.ts';
import type * as full from './development.ts';

export const payInvoice = plain<typeof full.payInvoice>({
  method: 'POST',
  url: '/dev/invoices/{id}/pay',
  access: 'development',
});
