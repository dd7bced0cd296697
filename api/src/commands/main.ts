/** The program of all commands. `bin/cellhop.mjs` starts it. */
import { runCommand } from './command.ts';
import { commands } from './registry.ts';

process.exit(await runCommand(commands, process.argv.slice(2), process));
