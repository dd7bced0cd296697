import { commandLine } from '@cellhop/contract/command-line';
import { parseArgs } from 'node:util';
import { restoreBackup } from '../backup/restore.ts';
import type { Command } from './command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Fills an empty database from a backup',
  usage: 'FILE [--identity FILE]',
  details:
    'FILE: the manifest of the backup, which ends with .json. --identity: the file with the key of age, of an encrypted backup.',
  parse(given) {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: { identity: { type: 'string' } },
      allowPositionals: true,
    });
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0) throw new Error('The file of one manifest is needed');
    return {
      kind: 'change',
      needsSchema: false,
      async run(ctx, terminal) {
        const identity = values.identity === undefined ? undefined : terminal.path(values.identity);
        const { createdAt, release, counts } = await restoreBackup(ctx, { file: terminal.path(name), identity });
        return [
          `The backup of ${createdAt} by release ${release} was restored: ${Object.keys(counts).length} tables, ${counts['transfers'] ?? 0} transfers.`,
          `Go on: ${commandLine('migrate')}, then the programs. If customers were shown addresses since then, it says so, and this goes on: ` +
            commandLine('restored'),
        ].join('\n');
      },
    };
  },
};
