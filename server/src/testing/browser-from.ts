import { ApiClient, type TestHub } from './hub.ts';

let callers = 0;

/**
 * A browser at an address of its own, since limits are counted per address; for hubs that trust 127.0.0.1 as a proxy.
 * Unlike a plain client it keeps every cookie beside the others.
 */
export function browserFrom(hub: Pick<TestHub, 'url'>, ip = nextAddress()): ApiClient {
  const client = new ApiClient(hub.url);
  const send = client.send.bind(client);
  const jar = new Map<string, string>();
  client.send = async (method, path, body, headers) => {
    // What a test has put there stays there.
    for (const pair of client.cookie.split('; ').filter(Boolean)) jar.set(pair.split('=')[0]!, pair);
    client.cookie = [...jar.values()].join('; ');
    const answer = await send<never>(method, path, body, { 'x-forwarded-for': ip, ...headers });
    for (const set of answer.headers.getSetCookie()) jar.set(set.split('=')[0]!, set.split(';')[0]!);
    client.cookie = [...jar.values()].join('; ');
    return answer;
  };
  return client;
}

/** A documentation address that nobody in this process has had yet. */
export function nextAddress(): string {
  callers++;
  return `198.51.${100 + Math.floor(callers / 250)}.${callers % 250}`;
}
