/** Files in messages of tickets: uploaded one by one, then sent with a message. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema, plainText } from './fields.ts';
import { data, idParams } from './schemas.ts';
import { ticketFileSchema } from './tickets.ts';

const fileParams = idParams.extend({ fileId: idSchema });
const uploadQuery = z.strictObject({ name: plainText(1, 200) });
const uploadErrors = [
  'NOT_FOUND',
  'TICKET_CLOSED',
  'FILE_NOT_SUPPORTED',
  'FILE_DAMAGED',
  'PICTURE_TOO_LARGE',
  'PAYLOAD_TOO_LARGE',
  'FILES_FULL',
] as const;
/** Its content, as an attachment. */
const content = z.string();

export const uploadTicketFile = endpoint({
  method: 'POST',
  url: '/v1/support/tickets/{id}/files',
  access: 'user',
  summary: 'Upload a file (the body) for the next message; it is deleted after a day if no message has it',
  params: idParams,
  query: uploadQuery,
  response: data(ticketFileSchema),
  status: 201,
  errors: uploadErrors,
});

export const readTicketFile = endpoint({
  method: 'GET',
  url: '/v1/support/tickets/{id}/files/{fileId}',
  access: 'user',
  summary: "A file of one of the user's tickets",
  params: fileParams,
  response: content,
  isExport: true,
  errors: ['NOT_FOUND'],
});

export const uploadAnswerFile = endpoint({
  method: 'POST',
  url: '/v1/support/admin/tickets/{id}/files',
  access: { permission: 'TICKETS_MSG_WRITE' },
  summary: 'Upload a file (the body) for the next answer; it is deleted after a day if no message has it',
  params: idParams,
  query: uploadQuery,
  response: data(ticketFileSchema),
  status: 201,
  errors: uploadErrors,
});

export const readAnyTicketFile = endpoint({
  method: 'GET',
  url: '/v1/support/admin/tickets/{id}/files/{fileId}',
  access: { permission: 'TICKETS_READ' },
  summary: 'A file of a ticket of any user',
  params: fileParams,
  response: content,
  errors: ['NOT_FOUND'],
});
