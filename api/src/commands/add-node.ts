import { portRangeSchema } from '@cellhop/contract/network';
import { z } from 'zod';
import * as gateway from '../modules/gateway/gateway.service.ts';
import type { Config } from '../process/config.ts';
import type { Command } from './command.ts';

export const addNode: Command = {
  name: 'add-node',
  summary: 'Registers another gateway and prints its settings file, with its token',
  usage: 'NAME [host=HOST port=PORT] [dns-ports=FIRST-LAST]',
  parse(values) {
    const { name, options } = parseNodeArguments(values);
    return {
      kind: 'change',
      async run(ctx) {
        return describeSettings(ctx.config, name, options, await gateway.addNode(ctx, name, options));
      },
    };
  },
};

const nameSchema = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/, 'NAME has lower-case letters, digits and hyphens, 60 at most.')
  .refine(
    (name) => name !== gateway.DEFAULT_NODE_NAME,
    `The node "${gateway.DEFAULT_NODE_NAME}" has the token of the setting GATEWAY_TOKEN: choose another name.`,
  );
/** No IPv6 address: `host:port:username:password`, which customers copy, would be ambiguous. */
const optionsSchema = z
  .strictObject({
    host: z.hostname('host is a name or an IPv4 address').optional(),
    port: z.coerce.number('port is a number').int().min(1).max(65_535).optional(),
    'dns-ports': portRangeSchema.optional(),
  })
  .refine(({ host, port }) => (host === undefined) === (port === undefined), 'host and port belong together');

/**
 * @param values the name, then options such as `port=1080`
 * @throws Error with a sentence for each invalid argument
 */
export function parseNodeArguments([name, ...values]: readonly string[]): {
  name: string;
  options: gateway.NodeOptions;
} {
  const options = Object.fromEntries(values.map((value) => splitOption(value)));
  const parsed = z.object({ name: nameSchema, options: optionsSchema }).safeParse({ name: name ?? '', options });
  if (!parsed.success) throw new Error(parsed.error.issues.map(describe).join('\n'));
  const { host, port, 'dns-ports': dnsPorts } = parsed.data.options;
  const address = host === undefined || port === undefined ? undefined : { host, port };
  return { name: parsed.data.name, options: { address, dnsPorts } };
}

/** The settings file of the machine of the gateway. What it cannot know is for the operator to fill in. */
export function describeSettings(
  { internalPort, internalHost, publicUrl }: Pick<Config, 'internalPort' | 'internalHost' | 'publicUrl'>,
  name: string,
  { address, dnsPorts }: gateway.NodeOptions,
  token: string,
): string {
  const isReachable = internalPort !== undefined && !LOCAL_HOST.test(internalHost);
  return [
    `# Settings of the gateway "${name}": /etc/cellhop/cellhop.env of its machine.`,
    '# The token is shown this once. The same command again gives the gateway a new one; the old one works for 24 hours more.',
    'NODE_ENV=production',
    `GATEWAY_TOKEN=${token}`,
    '# Where this machine reaches /internal/ of the API, which is closed to others: by https, a private network or a tunnel.',
    `GATEWAY_CONTROL_URL=${isReachable ? `http://${internalHost}:${internalPort}` : publicUrl}`,
    '# The address that customers see. If no address of this machine is known by this name, set GATEWAY_LISTEN_HOST too.',
    `GATEWAY_HOST=${address?.host ?? ''}`,
    `GATEWAY_PORT=${address?.port ?? 1080}`,
    ...(dnsPorts === undefined ? [] : [`GATEWAY_DNS_PORTS=${dnsPorts.first}-${dnsPorts.last}`]),
    '# Public name servers, of each address family that the exits have.',
    'GATEWAY_NAME_SERVERS=9.9.9.9,1.1.1.1',
  ].join('\n');
}

const LOCAL_HOST = /^(?:localhost|127\..*|0\.0\.0\.0|::1?)$/;

/** One without a value has an empty one, which no option takes. */
function splitOption(text: string): [option: string, value: string] {
  const [option = '', ...rest] = text.split('=');
  return [option, rest.join('=')];
}

function describe({ path, message }: z.core.$ZodIssue): string {
  const option = path[1];
  return option === undefined || message.startsWith(String(option)) ? message : `${String(option)}: ${message}`;
}
