/** Messages of browsers when a chunk fails to load: the network is down, or a newer version has replaced it. */
const MESSAGES = [
  'Failed to fetch dynamically imported module', // Chromium
  'error loading dynamically imported module', // Firefox
  'Importing a module script failed', // Safari
  'Unable to preload CSS', // Vite, for a stylesheet
];

/** The code of a screen could not be loaded, because there is no network. */
export class OfflineLoadError extends Error {
  override name = 'OfflineLoadError';
}

export function isLoadFailure(error: unknown): boolean {
  if (error instanceof OfflineLoadError) return true;
  return error instanceof Error && MESSAGES.some((message) => error.message.startsWith(message));
}
