import { registerNode } from '../modules/gateway/gateway.service.ts';
import { isKeyUnknown, Mismatch, recordStart } from '../modules/installation/installation.service.ts';
import { opensSecrets } from '../modules/key-rotation/key-rotation.service.ts';
import { seed } from '../seed/seed.ts';
import type { Command } from './command.ts';

/** Runs before the other programs: in production nothing else migrates. */
export const migrate: Command = {
  name: 'migrate',
  summary: 'Gives the database the schema of this release, and in development the demo',
  usage: '',
  parse: () => ({
    kind: 'migration',
    async run(ctx) {
      // The previous release has not recorded its key.
      if ((await isKeyUnknown(ctx)) && !(await opensSecrets(ctx)))
        throw new Mismatch(
          'SECRET_KEY opens none of the secrets in the database: set the key that has encrypted them.',
        );
      await recordStart(ctx);
      await registerNode(ctx);
      await seed(ctx);
      return '';
    },
  }),
};
