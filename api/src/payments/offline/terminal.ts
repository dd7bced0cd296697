/** The terminal of the offline program. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { Refusal, type Terminal } from './machine.ts';

/** Escape sequences of a file must not move the cursor over what this program says. */
const NOT_PRINTABLE = /[^\x20-\x7e\n]/g;
const printable = (text: string) => text.replace(NOT_PRINTABLE, '?');

export function openTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Terminal & { close: () => void } {
  let isHidden = false;
  // The editor of the line echoes every key to this stream.
  const echo = new Writable({
    write(chunk: Uint8Array, _, done) {
      if (!isHidden) output.write(chunk);
      done();
    },
  });
  const isTerminal = input.isTTY;
  const editor = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 });
  const nextLine = queueLines(editor);
  const ask = async (prompt: string) => {
    editor.setPrompt(printable(prompt));
    if (isTerminal) editor.prompt();
    else output.write(printable(prompt));
    return nextLine();
  };
  return {
    say: (text) => void output.write(`${printable(text)}\n`),
    ask: async (prompt) => {
      const line = await ask(prompt);
      if (!isTerminal) output.write('\n');
      return line.trim();
    },
    async askHidden(prompt) {
      output.write(printable(prompt));
      isHidden = true;
      try {
        return await ask('');
      } finally {
        isHidden = false;
        output.write('\n');
      }
    },
    close: () => editor.close(),
  };
}

const refusal = () => new Refusal('Interrupted: nothing was signed.');

/** Lines may arrive before they are asked for, several at once. */
function queueLines(editor: Interface): () => Promise<string> {
  const lines: string[] = [];
  let waiting: PromiseWithResolvers<string> | undefined;
  let isClosed = false;
  editor.on('line', (line) => {
    if (waiting) waiting.resolve(line);
    else lines.push(line);
    waiting = undefined;
  });
  editor.on('close', () => {
    isClosed = true;
    waiting?.reject(refusal());
  });
  return async () => {
    const line = lines.shift();
    if (line !== undefined) return line;
    if (isClosed) throw refusal();
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
