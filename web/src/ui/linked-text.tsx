/** A plain text by a user, with its web addresses as links to other sites. */
export function LinkedText({ text }: { text: string }) {
  return linkify(text).map(({ text: shown, href }, index) =>
    href === undefined ? (
      shown
    ) : (
      // Parts of one text can only be identified by their index.
      // oxlint-disable-next-line react/no-array-index-key
      <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {shown}
      </a>
    ),
  );
}

/** A part of a plain text: `href` is set for web addresses. */
interface TextPart {
  text: string;
  href?: string;
}

/** Only http and https: other schemes could run code or open programs. */
const ADDRESS = /https?:\/\/[^\s<>"']+/gi;
/** Trailing punctuation of the sentence, and an enclosing bracket. */
const TRAILING = /[.,:;!?)\]}»”]+$/;

/** Finds the web addresses in a plain text. Everything stays text; nothing is parsed as HTML. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(TRAILING, '');
    if (!URL.canParse(address)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href: new URL(address).href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}
