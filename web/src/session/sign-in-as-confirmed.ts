import { callForData } from '../data/http.ts';
import { startSession } from './start-session.ts';
import { hasTokens } from './tokens.ts';

/**
 * Signs in after the confirmation of an address, with the cookie of the sign-up. Never replaces a session: somebody else may be signed in.
 * @param id from the URL, which anybody may have written
 * @returns whether somebody is signed in
 */
export async function signInAsConfirmed(id: string): Promise<boolean> {
  if (hasTokens()) return true;
  try {
    const result = await callForData('POST /v1/auth/confirm-email/sign-in', { body: { id } });
    if (!hasTokens()) await startSession(result);
    return true;
  } catch {
    // The page has a link to sign-in instead.
    return false;
  }
}
