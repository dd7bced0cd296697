import type { StaffConnection } from '@cellhop/contract/staff/connections';
import type { StaffTicket } from '@cellhop/contract/staff/tickets';

interface Listed {
  connection: StaffConnection;
  isMentioned: boolean;
}

/** Sorts connections: first those whose address or id is in the ticket's text. */
export function mentionedFirst(
  connections: readonly StaffConnection[],
  { name, description }: Pick<StaffTicket, 'name' | 'description'>,
): Listed[] {
  const words = new Set(
    `${name} ${description}`
      .toLowerCase()
      .match(/[0-9a-f.:-]{3,}/g)
      ?.map(withoutPunctuation),
  );
  const listed = connections.map((connection) => ({
    connection,
    isMentioned: words.has(connection.ip) || words.has(connection.id),
  }));
  return listed.toSorted((one, other) => Number(other.isMentioned) - Number(one.isMentioned));
}

/** "198.18.0.12." at the end of a sentence, or "198.18.0.12:1080". */
function withoutPunctuation(word: string): string {
  return word.replace(/^(\d+(?:\.\d+){3})(?::\d*)?[.:-]*$/, '$1').replace(/[.:-]+$/, '');
}
