import { OfflineLoadError } from '../loading/load-failure.ts';
import { askServer } from '../data/network.ts';

/**
 * Loads a screen of signed-in users. If its code cannot be loaded, the router reloads the page, because a newer version may
 * have replaced the file. Offline that would replace the app by the browser's error page, so the screen fails instead,
 * inside the shell.
 */
export function keptOffline<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      throw (await askServer()) ? error : new OfflineLoadError('The network is down', { cause: error });
    }
  };
}
