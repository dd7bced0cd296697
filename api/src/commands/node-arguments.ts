import { z } from 'zod';
import { DEFAULT_NODE_NAME, type NodeOptions } from '../modules/gateway/gateway.service.ts';
import { portRangeSchema } from '@cellhop/contract/network';

const USAGE = 'Usage: npm run add-node -- NAME [host=HOST port=PORT] [dns-ports=FIRST-LAST]';

const nameSchema = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/, 'NAME has lower-case letters, digits and hyphens, 60 at most.')
  .refine(
    (name) => name !== DEFAULT_NODE_NAME,
    `The node "${DEFAULT_NODE_NAME}" has the token of the setting GATEWAY_TOKEN: choose another name.`,
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
export function parseNodeArguments([name, ...values]: readonly string[]): { name: string; options: NodeOptions } {
  const options = Object.fromEntries(values.map((value) => splitOption(value)));
  const parsed = z.object({ name: nameSchema, options: optionsSchema }).safeParse({ name: name ?? '', options });
  if (!parsed.success) throw new Error([...parsed.error.issues.map(describe), USAGE].join('\n'));
  const { host, port, 'dns-ports': dnsPorts } = parsed.data.options;
  const address = host === undefined || port === undefined ? undefined : { host, port };
  return { name: parsed.data.name, options: { address, dnsPorts } };
}

/** One without a value has an empty one, which no option takes. */
function splitOption(text: string): [option: string, value: string] {
  const [option = '', ...rest] = text.split('=');
  return [option, rest.join('=')];
}

function describe({ path, message }: z.core.$ZodIssue): string {
  const option = path[1];
  return option === undefined || message.startsWith(String(option)) ? message : `${String(option)}: ${message}`;
}
