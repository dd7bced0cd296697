/** The program of all commands: `node api/dist/commands/main.js NAME ARGUMENTS`. */
import { runCommand } from './command.ts';
import { commands } from './registry.ts';

process.exit(await runCommand(commands, process.argv.slice(2), process));
