import { call } from '../../data/http.ts';
import { forgetInput } from '../../data/drafts.ts';
import { endSession, tokens } from '../../session/tokens.ts';

/** Ends the session on the server and in all tabs of this browser. */
export async function logOut(): Promise<void> {
  const pair = tokens.get();
  try {
    await call('POST /v1/auth/logout', {});
  } catch {
    // Signs out here even if the server cannot be reached; its session expires later.
  }
  forgetInput();
  if (pair !== undefined) endSession(pair);
}
