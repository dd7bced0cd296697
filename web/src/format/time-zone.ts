/** The time zone of the browser, as a name that the API knows. */
export function browserTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isKnown(timeZone) ? timeZone : zoneOfOffset(new Date().getTimezoneOffset());
}

/** Browsers that do not find the zone of their system, or hide it, call it undefined or Etc/Unknown. */
function isKnown(timeZone: string | undefined): boolean {
  if (timeZone === undefined || timeZone === 'Etc/Unknown') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** @param minutes behind UTC. Zones of an offset have whole hours, and signs that are the reverse of the usual ones. */
function zoneOfOffset(minutes: number): string {
  if (minutes === 0 || minutes % 60 !== 0) return 'UTC';
  return `Etc/GMT${minutes > 0 ? '+' : ''}${minutes / 60}`;
}
