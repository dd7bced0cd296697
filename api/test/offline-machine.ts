/** A machine for the offline program, whose operator types prepared lines. */
import type { Machine } from '../src/payments/offline/machine.ts';

export const SEED_WORDS = `${'abandon '.repeat(11)}about`;
/** Of TON, whose checksum is another one. */
export const TON_WORDS = `${'abandon '.repeat(23)}clean`;

export interface OfflineMachine {
  machine: Machine;
  /** Everything on the screen: what the program says, its prompts, and what is typed without being hidden. */
  screen: () => string;
  files: Map<string, string | Uint8Array>;
  /** Lines that were not asked for. */
  left: () => readonly string[];
}

export interface OfflineMachineOptions {
  /** In the order in which they are typed, or what is typed after a prompt. `sign` stands for what confirms the plan. */
  typed: readonly string[] | ((prompt: string) => string);
  files?: Record<string, string | Uint8Array>;
  interfaces?: readonly string[];
  now?: Date;
}

export function createOfflineMachine(options: OfflineMachineOptions): OfflineMachine {
  const files = new Map(Object.entries(options.files ?? {}));
  const { typed } = options;
  const lines = typeof typed === 'function' ? [] : [...typed];
  let screen = '';
  const take = (prompt: string) => {
    const line = typeof typed === 'function' ? typed(prompt) : lines.shift();
    if (line === undefined) throw new Error(`nothing is typed after: ${prompt}`);
    return line === 'sign' ? endingsOf(screen) : line;
  };
  const machine: Machine = {
    terminal: {
      isInteractive: true,
      say: (text) => void (screen += `${text}\n`),
      ask: async (prompt) => {
        const line = take(prompt);
        screen += `${prompt}${line}\n`;
        return line.trim();
      },
      askHidden: async (prompt) => {
        screen += `${prompt}\n`;
        return take(prompt);
      },
    },
    now: () => options.now ?? new Date(),
    connectedInterfaces: () => [...(options.interfaces ?? [])],
    readFile(path) {
      const file = files.get(path);
      if (file === undefined) throw new Error('ENOENT');
      return Buffer.from(file);
    },
    checkNewFile(path) {
      if (files.has(path)) throw new Error('EEXIST');
    },
    writeNewFile(path, text) {
      if (files.has(path)) throw new Error('EEXIST');
      files.set(path, text);
    },
  };
  return { machine, screen: () => screen, files, left: () => lines };
}

/** The last six characters of each destination of the plan. */
function endingsOf(screen: string): string {
  const totals = screen.slice(screen.lastIndexOf('In all:'));
  return [...new Set([...totals.matchAll(/ to (\S+)$/gm)].map(([, destination]) => destination!.slice(-6)))].join(' ');
}
