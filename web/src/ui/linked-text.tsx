import { linkify } from '../format/linkify.ts';

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
