/** All commands. Each one that operators call also has a script in package.json. */
import { addNode } from './add-node.ts';
import { backup } from './backup.ts';
import { catalogue } from './catalogue.ts';
import type { Command } from './command.ts';
import { createAdmin } from './create-admin.ts';
import { disableNode } from './disable-node.ts';
import { endSessions } from './end-sessions.ts';
import { mailTest } from './mail-test.ts';
import { migrate } from './migrate.ts';
import { payments } from './payments.ts';
import { replaceKey } from './replace-key.ts';
import { restore } from './restore.ts';
import { restored } from './restored.ts';

export const commands: readonly Command[] = [
  migrate,
  createAdmin,
  endSessions,
  mailTest,
  addNode,
  disableNode,
  catalogue,
  payments,
  replaceKey,
  backup,
  restore,
  restored,
];
