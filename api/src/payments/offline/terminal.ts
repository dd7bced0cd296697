/** The terminal of the offline program. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { Refusal, type Terminal } from './machine.ts';

/** Escape sequences of a file must not move the cursor over what this program says. */
const NOT_PRINTABLE = /[^\x20-\x7e\n]/g;
const printable = (text: string) => text.replace(NOT_PRINTABLE, '?');
/** Longer than between two characters of a paste or of a scanner that acts as a keyboard. */
const QUIET_MS = 300;
/** Terminals then mark where a paste begins and ends; others ignore it. */
const [MARK_PASTES, MARK_NO_PASTES] = ['\u001B[?2004h', '\u001B[?2004l'];

/** @param pause waits for the time that shows that nobody types */
export function openTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  pause = () => new Promise<void>((resolve) => void setTimeout(resolve, QUIET_MS)),
): Terminal & { close: () => void } {
  let isShown = false;
  // The editor of the line echoes every key to this stream.
  const echo = new Writable({
    write(chunk: Uint8Array, _, done) {
      if (isShown) output.write(chunk);
      done();
    },
  });
  const editor = createInterface({ input, output: echo, terminal: input.isTTY, historySize: 0 });
  const isInteractive = input.isTTY && output.isTTY;
  if (isInteractive) output.write(MARK_PASTES);
  const say = (text: string) => void output.write(`${printable(text)}\n`);
  const show = (prompt: string, isVisible: boolean) => {
    editor.setPrompt(isVisible ? printable(prompt) : '');
    if (!input.isTTY || !isVisible) output.write(printable(prompt));
    isShown = isVisible;
    if (input.isTTY) editor.prompt();
  };
  const hide = () => void (isShown = false);
  const read = input.isTTY ? readTyped(input, editor, { pause, say, hide }) : queueLines(editor, true);
  return {
    isInteractive,
    say,
    async ask(prompt) {
      const line = await read(() => show(prompt, true));
      if (!input.isTTY) output.write('\n');
      return line.trim();
    },
    askHidden: (prompt) => read(() => show(prompt, false)).finally(() => output.write('\n')),
    close() {
      editor.close();
      if (isInteractive) output.write(MARK_NO_PASTES);
    },
  };
}

/** Shows the prompt when a line may begin. */
type Read = (showPrompt: () => void) => Promise<string>;

const refusal = () => new Refusal('Interrupted: nothing was signed.');

/**
 * What arrives before a question cannot be its answer, and one text must not answer several questions before anybody can read the next one. So
 * input from before a question is thrown away, and so is a paste or a scan with a line break in it.
 */
function readTyped(
  input: NodeJS.ReadStream,
  editor: Interface,
  { pause, say, hide }: { pause: () => Promise<void>; say: (text: string) => void; hide: () => void },
): Read {
  let keys = 0;
  let isPasting = false;
  /** When the first line after the question ended: the number of keys, none for a line inside of a paste. */
  let keysAtLine: number | undefined;
  input.prependListener('keypress', (_, { name }: { name?: string }) => {
    keys += 1;
    if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
  });
  const nextLine = queueLines(editor, false);
  editor.on('line', () => {
    hide();
    keysAtLine ??= isPasting ? 0 : keys;
  });
  return async (showPrompt) => {
    while (true) {
      const before = keys;
      await pause();
      if (keys !== before) continue;
      isPasting = false;
      const line = await nextLine(() => {
        if (editor.line !== '') editor.write('', { name: 'return' });
        keysAtLine = undefined;
        showPrompt();
      });
      await pause();
      if (keys === keysAtLine) return line;
      say('That has a line break in it or more text after it, so nothing of it was taken. Type it again, as one line.');
    }
  };
}

/** @param isKept whether lines count that arrive before they are asked for */
function queueLines(editor: Interface, isKept: boolean): Read {
  const lines: string[] = [];
  let waiting: PromiseWithResolvers<string> | undefined;
  let isClosed = false;
  editor.on('line', (line) => {
    if (waiting) waiting.resolve(line);
    else if (isKept) lines.push(line);
    waiting = undefined;
  });
  editor.on('close', () => {
    isClosed = true;
    waiting?.reject(refusal());
  });
  return async (showPrompt) => {
    if (isClosed && lines.length === 0) throw refusal();
    showPrompt();
    const line = lines.shift();
    if (line !== undefined) return line;
    waiting = withResolvers();
    return waiting.promise;
  };
}

/** Promise.withResolvers, which Node.js 20 lacks. */
function withResolvers(): PromiseWithResolvers<string> {
  const resolvers: Partial<PromiseWithResolvers<string>> = {};
  resolvers.promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return resolvers as PromiseWithResolvers<string>;
}
