/** The farm of the demo: each proxy of one country has a modem of its own, whose link changes its address. */
import type { Ctx } from '../ctx.ts';
import { type Modem, startModem } from '../dev/demo-modem.ts';
import { encryptLink } from '../secrets/rotation-links.ts';
import { connectModem, listModems } from './seed.store.ts';

/** @returns stops it; in production there is none */
export async function startDemoFarm(ctx: Ctx): Promise<() => Promise<void>> {
  const modems: Modem[] = [];
  const stop = async () => void (await Promise.all(modems.map((modem) => modem.stop())));
  if (!ctx.config.isDevelopment) return stop;
  try {
    for (const exitId of await listModems(ctx)) {
      const modem = await startModem(modems.length + 1, ctx.log);
      modems.push(modem);
      const parameters = { host: '127.0.0.1', port: modem.port };
      const link = { method: 'GET', url: `http://127.0.0.1:${modem.port}/rotate` } as const;
      const sealed = encryptLink(ctx.config.secretKeys, { exitKind: 'http', parameters }, link);
      await connectModem(ctx, exitId, parameters, sealed);
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the farm of the demo could not start');
  }
  return stop;
}
