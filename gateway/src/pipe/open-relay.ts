import type { Logger } from 'pino';
import { descriptorLimit, pipesWithin } from '../descriptors.ts';
import type { Limits } from '../limits.ts';
import { chooseRelay } from './choose-relay.ts';
import { streams } from './joined-sides.ts';
import { openAccelerator } from './open-accelerator.ts';
import type { Relay } from './pipe.ts';
import { createPump } from './pump.ts';

interface RelaySettings {
  readonly relay?: Relay['kind'] | 'auto';
  readonly accelerator?: string | undefined;
  readonly descriptors?: number;
  readonly log: Logger;
}

/** The fastest relay that works here, or the wanted one. */
export async function openRelay(settings: RelaySettings, limits: Limits): Promise<Relay> {
  const { relay: kind = 'auto', accelerator: file, descriptors = descriptorLimit(), log } = settings;
  if (kind === 'streams') return streams;
  const { pumpBuffers } = limits;
  if (kind === 'pump') return createPump(pumpBuffers);
  const pipes = pipesWithin(limits, descriptors);
  const accelerator = file === undefined ? undefined : await openAccelerator(file, pipes, log);
  return chooseRelay({ pumpBuffers, accelerator }, log);
}
