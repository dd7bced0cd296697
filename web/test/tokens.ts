/** Tokens as the API issues them, as far as the web app reads them. */
export function issued(session: string, generation: number, livesMs = 900_000) {
  const claims = btoa(JSON.stringify({ sid: session, generation })).replaceAll('=', '');
  return {
    accessToken: `header.${claims}.signature-${session}-${generation}`,
    refreshToken: `refresh-${session}-${generation}`,
    expiredAccessTokenAt: Date.now() + livesMs,
  };
}
