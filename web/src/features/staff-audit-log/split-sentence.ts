export type SentencePart =
  | { kind: 'actor' }
  | { kind: 'user' }
  | { kind: 'subject'; text: string }
  | { kind: 'text'; text: string };

const PART = /(\{actor\}|\{user\}|\[[^\]]+\])/;

/** Of a text such as "{actor} closed [a ticket] of {user}": the subject is in brackets. */
export function splitSentence(text: string): SentencePart[] {
  return text
    .split(PART)
    .filter((part) => part !== '')
    .map((part) => {
      if (part === '{actor}') return { kind: 'actor' };
      if (part === '{user}') return { kind: 'user' };
      return part.startsWith('[') ? { kind: 'subject', text: part.slice(1, -1) } : { kind: 'text', text: part };
    });
}
