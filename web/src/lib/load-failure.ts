/** Messages of browsers when a chunk fails to load: the network is down, or a newer version has replaced it. */
const MESSAGES = [
  'Failed to fetch dynamically imported module', // Chromium
  'error loading dynamically imported module', // Firefox
  'Importing a module script failed', // Safari
  'Unable to preload CSS', // Vite, for a stylesheet
];

export function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && MESSAGES.some((message) => error.message.startsWith(message));
}
