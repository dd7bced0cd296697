import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Permission } from '@cellhop/contract/permissions';

/** The signed-in user of a request, read from the database for this request: a blocked user stops at once. */
export interface Actor {
  userId: string;
  sessionId: string;
  /** The user's account in the ledger. */
  accountId: bigint;
  languageCode: LanguageCode;
  /** Empty while two-factor sign-in is due. */
  permissions: ReadonlySet<Permission>;
  /** His role works only with two-factor sign-in, and he has not switched it on yet. */
  isSecondFactorDue: boolean;
}
