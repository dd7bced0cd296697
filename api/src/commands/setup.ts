import { registerNode } from '../modules/gateway/gateway.service.ts';
import { seed } from '../seed/seed.ts';
import type { Command } from './command.ts';

/** Runs before the other programs. */
export const setup: Command = {
  name: 'setup',
  summary: 'Migrates the database, and in development fills an empty one with the demo',
  usage: '',
  parse: () => ({
    kind: 'setup',
    async run(ctx) {
      await registerNode(ctx);
      await seed(ctx);
      return '';
    },
  }),
};
