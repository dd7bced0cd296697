import { commandLine } from '@cellhop/contract/command-line';
import { parseArgs } from 'node:util';
import { endAllOfNode, findOpenOfNode } from '../modules/connections/staff-connections.service.ts';
import { DEFAULT_NODE_NAME } from '../modules/gateway/gateway.service.ts';
import { disableNode as disable, requireNode } from '../modules/gateway/nodes.service.ts';
import type { Command } from './command.ts';

export const disableNode: Command = {
  name: 'disable-node',
  summary: 'Refuses the token of a gateway, takes its proxies out of sale and ends its connections',
  usage: 'NAME [--apply]',
  details: `Without --apply it says what it would do. Customers are told that the proxy went offline, and get back what they have not used. add-node
gives the gateway another token; its proxies are sold again when staff end the draining.`,
  parse(given) {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: { apply: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw new Error('Name one gateway.');
    if (name === DEFAULT_NODE_NAME)
      throw new Error(`The gateway "${name}" has the token of the setting GATEWAY_TOKEN: change that twice.`);
    return {
      kind: values.apply ? 'change' : 'question',
      async run(ctx) {
        await requireNode(ctx, name);
        const { length } = await findOpenOfNode(ctx, name);
        if (!values.apply)
          return `Nothing was changed. Connections that would end: ${length}. To disable the gateway: ${commandLine('disable-node', name, '--apply')}`;
        await disable(ctx, name);
        const endedCount = await endAllOfNode(ctx, name);
        return [
          `The gateway "${name}" is disabled: its token is refused, and its proxies are not sold.`,
          `Connections that were ended: ${endedCount}.`,
        ].join('\n');
      },
    };
  },
};
