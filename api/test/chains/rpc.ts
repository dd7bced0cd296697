/** JSON-RPC for tests: throws the error of a refused call. */
export type Rpc = <T = string>(method: string, ...params: unknown[]) => Promise<T>;

export function createRpc(url: string): Rpc {
  const { username, password, origin, pathname } = new URL(url);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return async <T>(method: string, ...params: unknown[]) => {
    const response = await fetch(origin + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(username === '' ? {} : { authorization }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}
