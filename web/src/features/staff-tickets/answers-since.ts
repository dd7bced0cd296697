import type { StaffTicketMessage } from '@cellhop/contract/staff/tickets';

/**
 * @param messages newest first
 * @param seenId the newest message that the reader has seen; null: none
 * @returns the messages of other staff since then
 */
export function answersSince(
  messages: readonly StaffTicketMessage[],
  seenId: string | null,
  readerId: string | undefined,
): StaffTicketMessage[] {
  const seenAt = messages.findIndex(({ id }) => id === seenId);
  // A message that is on a later page is older than all of these.
  const newer = seenAt === -1 ? messages : messages.slice(0, seenAt);
  return newer.filter(({ isUser, author }) => !isUser && author.id !== readerId);
}
