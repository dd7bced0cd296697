/** Files in messages of tickets: checked and cleaned when they are uploaded, stored in the database. */
import { AppError } from '@cellhop/contract/errors';
import {
  FILE_NAME_LENGTH_MAX,
  TICKET_FILES_BYTES_MAX,
  TICKET_FILES_PER_MESSAGE_MAX,
  USER_FILES_BYTES_MAX,
} from '@cellhop/contract/limits';
import type { TicketFile, TicketFileType } from '@cellhop/contract/tickets';
import type { Ctx } from '../../ctx.ts';
import { cleanUp } from '../../db/clean-up.ts';
import { cleanFile } from '../../files/file-types.ts';
import type { StoredFile } from '../../http/stored-file.ts';
import * as users from '../users/users.service.ts';
import * as store from './ticket-files.store.ts';
import { requireOpen, requireTicket } from './ticket-lookup.ts';
import { findTicket, lockTicket, type TicketRow } from './tickets.store.ts';

interface Upload {
  ticketId: string;
  /** Null for staff. */
  ownerId: string | null;
  authorId: string;
  name: string;
  content: Buffer;
}

/** Those that were chosen and taken away again stay for a day. */
const UNSENT_MAX = 2 * TICKET_FILES_PER_MESSAGE_MAX;

/**
 * @param onStored runs in the transaction
 * @throws AppError NOT_FOUND, TICKET_CLOSED, FILE_NOT_SUPPORTED, FILE_DAMAGED, PICTURE_TOO_LARGE, ACCOUNT_DELETED, FILES_FULL
 */
export async function upload(
  ctx: Ctx,
  { ticketId, ownerId, authorId, name, content: given }: Upload,
  onStored: (ctx: Ctx, ticket: TicketRow, file: TicketFile) => Promise<void> = () => Promise.resolve(),
): Promise<TicketFile> {
  requireOpen(requireTicket(await findTicket(ctx, ticketId), ownerId));
  const { type, content } = await cleanFile(given);
  return ctx.tx(async (ctx) => {
    const ticket = requireOpen(requireTicket(await lockTicket(ctx, ticketId), ownerId));
    // Not while the account is being deleted.
    if ((await users.lockUser(ctx, ticket.userId))?.status === 'DELETED') throw new AppError('ACCOUNT_DELETED');
    await store.deleteOldUnsent(ctx, ticketId, authorId, UNSENT_MAX - 1);
    await store.lockSizes(ctx);
    const { ticketBytes, authorBytes, allBytes } = await store.readSizes(ctx, ticketId, authorId);
    const isFull =
      ticketBytes + content.length > TICKET_FILES_BYTES_MAX ||
      (ownerId !== null && authorBytes + content.length > USER_FILES_BYTES_MAX) ||
      allBytes + content.length > ctx.config.ticketFilesBytes;
    if (isFull) throw new AppError('FILES_FULL');
    const file = present(
      await store.insertFile(ctx, { ticketId, authorId, name: safeName(name, type), type, content }),
    );
    await onStored(ctx, ticket, file);
    return file;
  });
}

/** Under the lock of the ticket. @throws AppError NOT_FOUND, FILES_FULL */
export async function attach(
  ctx: Ctx,
  message: { id: string; ticketId: string; authorId: string },
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return;
  const files = await store.attachFiles(ctx, message, fileIds);
  if (files.length !== new Set(fileIds).size) throw new AppError('NOT_FOUND', { thing: 'File' });
  const { ticketBytes } = await store.readSizes(ctx, message.ticketId, message.authorId);
  if (ticketBytes > TICKET_FILES_BYTES_MAX) throw new AppError('FILES_FULL');
}

/** @returns the files of each message */
export async function filesOf(ctx: Ctx, messageIds: readonly string[]): Promise<Map<string, TicketFile[]>> {
  const files = Map.groupBy(await store.listFiles(ctx, messageIds), ({ messageId }) => messageId!);
  return new Map(messageIds.map((id) => [id, (files.get(id) ?? []).map(present)]));
}

/** @param ownerId null for staff. @throws AppError NOT_FOUND */
export async function readFile(ctx: Ctx, ownerId: string | null, ticketId: string, id: string): Promise<StoredFile> {
  requireTicket(await findTicket(ctx, ticketId), ownerId);
  const file = await store.findContent(ctx, ticketId, id);
  if (!file) throw new AppError('NOT_FOUND', { thing: 'File' });
  return file;
}

/** Each with its content in base64, for the export of the user's data; one at a time is in memory. */
export async function* readFilesOfUser(ctx: Ctx, userId: string): AsyncGenerator<object> {
  for (const { ticketId, messageId, ...file } of await store.listFilesOfUser(ctx, userId)) {
    const found = await store.findContent(ctx, ticketId, file.id);
    if (found) yield { ...file, ticketId, messageId, content: found.content.toString('base64') };
  }
}

export async function deleteUnsentFiles(ctx: Ctx): Promise<void> {
  await cleanUp(ctx, 'files that no message has', store.deleteUnsent, { batchRows: 50 });
}

export { deleteFilesOfUser } from './ticket-files.store.ts';

const extensions: Record<TicketFileType, readonly string[]> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
  'text/plain': ['txt', 'log'],
};

/** Without folders and characters that programs or people misread, and with an extension that says what the file is. */
function safeName(name: string, type: TicketFileType): string {
  const plain = name
    .replaceAll(/^.*[/\\]/gs, '')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}"*:<>?|]/gu, '')
    .replace(/^[.\s]+/, '')
    .trim();
  const [first = ''] = extensions[type];
  const extension = /\.([^.]+)$/.exec(plain)?.[1]?.toLowerCase();
  const ending = extensions[type].find((each) => each === extension);
  const base = ending === undefined ? plain : plain.slice(0, -ending.length - 1);
  const length = FILE_NAME_LENGTH_MAX - 1 - first.length;
  return `${(base || 'file').slice(0, length).toWellFormed()}.${ending ?? first}`;
}

function present({ id, name, type, size }: store.FileRow): TicketFile {
  return { id, name, type, size };
}
