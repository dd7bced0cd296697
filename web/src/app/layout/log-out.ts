import { logout } from '@cellhop/contract/auth.plain';
import { call } from '../../lib/http.ts';
import { forgetDrafts } from '../../lib/drafts.ts';
import { endSession, tokens } from '../../lib/tokens.ts';

/** Ends the session at the server, and in all tabs of this browser. */
export async function logOut(): Promise<void> {
  const pair = tokens.get();
  try {
    await call(logout, {});
  } catch {
    // The reader wants to leave: without the server's response the session ends by itself, here it ends now.
  }
  forgetDrafts();
  if (pair !== undefined) endSession(pair);
}
