import type { TicketFileType } from '@cellhop/contract/tickets';
import type { Ctx } from '../../ctx.ts';

export interface FileRow {
  id: string;
  /** Null until it is sent. */
  messageId: string | null;
  name: string;
  type: TicketFileType;
  size: number;
}

export interface NewFile {
  ticketId: string;
  authorId: string;
  name: string;
  type: TicketFileType;
  content: Buffer;
}

const COLUMNS = 'id, message_id as "messageId", name, type, size';

/** Until the end of the transaction the sums of sizes do not grow. */
export async function lockSizes(ctx: Ctx): Promise<void> {
  await ctx.db.query(`select pg_advisory_xact_lock(hashtextextended('ticket_files', 0))`);
}

interface Sizes {
  /** In messages of the ticket. */
  ticketBytes: number;
  /** Of the author, in all tickets. */
  authorBytes: number;
  allBytes: number;
}

/** The contents are stored apart: it reads only narrow rows. */
export async function readSizes(ctx: Ctx, ticketId: string, authorId: string): Promise<Sizes> {
  const [row] = await ctx.db.query<Sizes>(
    `select coalesce(sum(size) filter (where ticket_id = $1 and message_id is not null), 0)::float8 as "ticketBytes",
            coalesce(sum(size) filter (where author_id = $2), 0)::float8 as "authorBytes",
            coalesce(sum(size), 0)::float8 as "allBytes"
       from ticket_files`,
    [ticketId, authorId],
  );
  return row!;
}

export async function insertFile(ctx: Ctx, file: NewFile): Promise<FileRow> {
  const [row] = await ctx.db.query<FileRow>(
    `insert into ticket_files (ticket_id, author_id, name, type, size, content) values ($1, $2, $3, $4, $5, $6)
     returning ${COLUMNS}`,
    [file.ticketId, file.authorId, file.name, file.type, file.content.length, file.content],
  );
  return row!;
}

/** Of the files that the author has not sent yet, only the newest stay. */
export async function deleteOldUnsent(ctx: Ctx, ticketId: string, authorId: string, kept: number): Promise<void> {
  await ctx.db.query(
    `delete from ticket_files where id in (
       select id from ticket_files where ticket_id = $1 and author_id = $2 and message_id is null
        order by number desc offset $3)`,
    [ticketId, authorId, kept],
  );
}

/** @returns those of the author in this ticket that no message has yet */
export function attachFiles(
  ctx: Ctx,
  message: { id: string; ticketId: string; authorId: string },
  fileIds: readonly string[],
): Promise<FileRow[]> {
  return ctx.db.query(
    `with attached as (
       update ticket_files set message_id = $1
        where id = any($4) and ticket_id = $2 and author_id = $3 and message_id is null returning ${COLUMNS}, number
     ) select id, "messageId", name, type, size from attached order by number`,
    [message.id, message.ticketId, message.authorId, fileIds],
  );
}

export function listFiles(ctx: Ctx, messageIds: readonly string[]): Promise<FileRow[]> {
  return ctx.db.query(`select ${COLUMNS} from ticket_files where message_id = any($1) order by number`, [messageIds]);
}

/** All files in messages of the user's tickets, without contents. */
export function listFilesOfUser(ctx: Ctx, userId: string): Promise<(FileRow & { ticketId: string })[]> {
  return ctx.db.query(
    `select ticket_files.id, message_id as "messageId", ticket_files.name, type, size, ticket_id as "ticketId"
       from ticket_files join tickets on tickets.id = ticket_id
      where user_id = $1 and message_id is not null order by number`,
    [userId],
  );
}

/** Only of a message: others see no file before it is sent. */
export async function findContent(
  ctx: Ctx,
  ticketId: string,
  id: string,
): Promise<(Pick<FileRow, 'name' | 'type'> & { content: Buffer }) | undefined> {
  const [row] = await ctx.db.query<Pick<FileRow, 'name' | 'type'> & { content: Buffer }>(
    'select name, type, content from ticket_files where id = $1 and ticket_id = $2 and message_id is not null',
    [id, ticketId],
  );
  return row;
}

/** @returns the number of deleted rows, at most `limit` */
export async function deleteUnsent(ctx: Ctx, limit: number): Promise<number> {
  const rows = await ctx.db.query(
    `delete from ticket_files where id in (
       select id from ticket_files where message_id is null and created_at < now() - interval '1 day' limit $1
     ) returning id`,
    [limit],
  );
  return rows.length;
}

/** Of the user's tickets, by whomever they are. */
export async function deleteFilesOfUser(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from ticket_files using tickets where tickets.id = ticket_id and user_id = $1', [userId]);
}
