import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Permission } from '@cellhop/contract/permissions';

/** The signed-in user of a request, read from the database for this request: a blocked user stops at once. */
export interface Actor {
  userId: string;
  sessionId: string;
  /** The user's account in the ledger. */
  accountId: bigint;
  languageCode: LanguageCode;
  permissions: ReadonlySet<Permission>;
}
