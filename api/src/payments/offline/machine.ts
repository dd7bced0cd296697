/** What the offline program uses of the machine that it runs on. Tests replace it. */
export interface Machine {
  terminal: Terminal;
  now: () => Date;
  /** Names of the network interfaces that have an address, without the loopback. */
  connectedInterfaces: () => string[];
  readFile: (path: string) => Uint8Array;
  /** Leaves nothing. Fails if the file exists or cannot be written. */
  checkNewFile: (path: string) => void;
  /** Fails if the file exists. */
  writeNewFile: (path: string, text: string) => void;
}

export interface Terminal {
  /** Somebody types and reads at it. */
  isInteractive: boolean;
  say: (text: string) => void;
  /** @returns the typed line, without spaces around it */
  ask: (prompt: string) => Promise<string>;
  /** What is typed is not shown, and returned with its spaces, which a passphrase may have. */
  askHidden: (prompt: string) => Promise<string>;
}

/** A sentence for the operator: the program ends with it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
