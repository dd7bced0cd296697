import { parseArgs } from 'node:util';
import { makeBackup, requireFolder, rotate } from '../backup/backup.ts';
import { verifyBackup } from '../backup/restore.ts';
import type { Command } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Writes a backup of the database to BACKUP_FOLDER and deletes older ones (BACKUP_KEEP)',
  usage: '[--verify [--identity FILE]]',
  details:
    '--verify: restores the new backup into a scratch database, which it deletes again, and checks that the money adds up. --identity: the file with ' +
    'the key of age, where BACKUP_RECIPIENT is set.',
  parse(given) {
    const { values } = parseArgs({
      args: [...given],
      options: { verify: { type: 'boolean' }, identity: { type: 'string' } },
    });
    if (values.identity !== undefined && !values.verify) throw new Error('--identity is only for --verify');
    return {
      kind: values.verify ? 'change' : 'question',
      async run(ctx, terminal) {
        const file = await makeBackup(ctx);
        if (values.verify) {
          const identity = values.identity === undefined ? undefined : terminal.path(values.identity);
          const violations = await verifyBackup(ctx, { file, identity });
          if (violations.length > 0) {
            terminal.say(
              ['The backup can be restored, and the money in it does not add up:', ...violations].join('\n'),
            );
            return false;
          }
        }
        const deletedCount = await rotate(requireFolder(ctx), ctx.config.backup.keptCount);
        return [
          file,
          ...(values.verify
            ? ['It was restored into a scratch database: all rows are there, and the money adds up.']
            : []),
          ...(deletedCount > 0 ? [`${deletedCount} older ones were deleted.`] : []),
        ].join('\n');
      },
    };
  },
};
