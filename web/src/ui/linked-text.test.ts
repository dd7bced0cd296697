import { expect, it } from 'vitest';
import { linkify } from './linked-text.tsx';

it('finds addresses, without the punctuation around them', () => {
  expect(linkify('See https://example.com/a?b=1, or (http://example.org).')).toEqual([
    { text: 'See ' },
    { text: 'https://example.com/a?b=1', href: 'https://example.com/a?b=1' },
    { text: ', or (' },
    { text: 'http://example.org', href: 'http://example.org/' },
    { text: ').' },
  ]);
});

it.each(['', 'no address', 'javascript:alert(1)', 'data:text/html,x', 'https://', 'ftp://example.com', '<b>bold</b>'])(
  'leaves %j as it is',
  (text) => {
    expect(
      linkify(text)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
    expect(linkify(text).filter(({ href }) => href !== undefined)).toEqual([]);
  },
);

it('keeps the whole text, and only web addresses become links', () => {
  const text = 'https://a.example/<script> "https://b.example" https://c.example/»';
  const parts = linkify(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  expect(parts.flatMap(({ href }) => href ?? [])).toEqual([
    'https://a.example/',
    'https://b.example/',
    'https://c.example/',
  ]);
});
