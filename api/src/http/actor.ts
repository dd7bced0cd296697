import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Permission } from '@cellhop/contract/permissions';

/** The signed-in user of a request. Read from the database for each request, so that blocking takes effect at once. */
export interface Actor {
  userId: string;
  sessionId: string;
  /** The user's account in the ledger. */
  accountId: bigint;
  languageCode: LanguageCode;
  /** Empty while `isSecondFactorDue`. */
  permissions: ReadonlySet<Permission>;
  /** The user's role requires two-factor sign-in, which they have not enabled yet. */
  isSecondFactorDue: boolean;
  /** The member of staff who sees the app as this user: read-only. */
  viewerId?: string;
}

/** What the access token of a user says. Its signature has been verified. */
export interface AccessClaims {
  userId: string;
  sessionId: string;
  /** The member of staff who sees the app as the user; then `sessionId` is that of the view. */
  viewerId?: string;
  isExpired: boolean;
}
