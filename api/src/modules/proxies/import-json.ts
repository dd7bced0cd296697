/** Reads a JSON list object by object, with line numbers, so that errors are reported with their line. */
import type { ImportError } from '@cellhop/contract/staff/inventory';
import type { ImportProblem } from '@cellhop/contract/staff/inventory.values';

export interface FileObject {
  line: number;
  values: Record<string, unknown>;
}

/** Stops after a syntax error, because the objects after it are unknown. */
export function* readJson(text: string): Generator<FileObject | ImportError> {
  let at = skipSpace(text, 0);
  let line = 1 + newlines(text, 0, at);
  const importError = (problem: ImportProblem): ImportError => ({ line, column: null, problem, value: null });
  const moveTo = (next: number) => {
    line += newlines(text, at, next);
    at = next;
  };
  if (text[at] !== '[') return yield importError('NOT_A_LIST');
  moveTo(skipSpace(text, at + 1));
  if (text[at] === ']') return undefined;
  for (;;) {
    const end = text[at] === '{' ? endOfObject(text, at) : -1;
    const value = end === -1 ? undefined : parseObject(text.slice(at, end));
    if (value === undefined) return yield importError(text[at] === '{' ? 'NOT_JSON' : 'NOT_AN_OBJECT');
    yield { line, values: value };
    moveTo(skipSpace(text, end));
    if (text[at] === ']') break;
    if (text[at] !== ',') return yield importError('NOT_JSON');
    moveTo(skipSpace(text, at + 1));
  }
  moveTo(skipSpace(text, at + 1));
  return at < text.length ? yield importError('NOT_JSON') : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** @returns the index after the closing brace; -1 if there is none */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = closingQuote(text, at);
      if (at === -1) return -1;
    } else if (character === '{') depth += 1;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
