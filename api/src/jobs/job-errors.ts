const SHOWN_LENGTH_MAX = 300;

/**
 * The first line of an error, without secrets that staff must not see: mail servers quote addresses, and a message may contain a link with
 * a code. Anything that looks like a link, an address or a long random text is replaced.
 */
export function hideSecrets(error: string): string {
  const [line = ''] = error.trim().split(/\r?\n/, 1);
  return line
    .slice(0, 4 * SHOWN_LENGTH_MAX)
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[address]')
    .replaceAll(/(?=[\w+/=.-]*\d)[\w+/=-][\w+/=.-]{19,}/g, '[code]')
    .slice(0, SHOWN_LENGTH_MAX);
}
