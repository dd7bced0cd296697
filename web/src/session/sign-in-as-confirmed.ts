import { callForData } from '../data/http.ts';
import { startSession } from './start-session.ts';
import { hasTokens } from './tokens.ts';

/**
 * Signs in after the confirmation of an address, with the cookie of the sign-up. Never replaces a session: somebody else may be signed in.
 * @param id from the URL, which anybody may have written
 * @returns the balance of the new customer, 0 if somebody was signed in, undefined if nobody is
 */
export async function signInAsConfirmed(id: string): Promise<number | undefined> {
  if (hasTokens()) return 0;
  try {
    const result = await callForData('POST /v1/auth/confirm-email/sign-in', { body: { id } });
    if (!hasTokens()) await startSession(result);
    return result.profile.balance;
  } catch {
    // The page has a link to sign-in instead.
    return undefined;
  }
}
