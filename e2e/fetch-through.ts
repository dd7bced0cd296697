import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @returns the HTTP status of a request through the proxy; 0 if the connection was cut */
export async function fetchThrough(proxy: string, url: string): Promise<number> {
  const curl = spawn('curl', ['-s', '-x', proxy, '-o', '/dev/null', '-w', '%{http_code}', '--max-time', '30', url]);
  let text = '';
  curl.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(curl, 'close')) as [number | null];
  return code === 0 ? Number(text) : 0;
}
