interface ChannelTo {
  name: string;
  url: string;
  models: readonly string[];
}

/** Configures Relay Hub through the management API, as an operator does. Returns the key of a token. */
export async function setUpHub(hub: string, channels: readonly ChannelTo[], password: string): Promise<string> {
  let cookie = '';
  const call = async (path: string, body?: object, method = 'POST'): Promise<Record<string, unknown>> => {
    const answer = await fetch(hub + path, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const { success, message, data } = (await answer.json()) as {
      success: boolean;
      message: string;
      data: Record<string, unknown>;
    };
    if (!success) throw new Error(`${path}: ${answer.status} ${message}`);
    return data;
  };
  await call('/api/user/login', { username: 'root', password });
  // The upstreams take their parameters from the model name.
  for (const model of ['sim:*', 'stamped:*'])
    await call('/api/prices/single', { model, type: 'tokens', channel_type: 1, input: 0.075, output: 0.3 });
  for (const { name, url, models } of channels)
    await call('/api/channel/', { type: 8, name, key: 'sk-upstream-0001', base_url: url, models: models.join(',') });
  // One user makes all calls. The rate limit is raised but stays on, because its cost is part of a call.
  const { data: groups } = await call('/api/user_group/?size=100', undefined, 'GET');
  for (const { id, name, ratio, public: isPublic } of groups as Record<string, unknown>[])
    await call('/api/user_group/', { id, name, ratio, public: isPublic, api_rate: 10_000_000 }, 'PUT');
  const { key } = await call('/api/token/', { name: 'bench', unlimited_quota: true });
  return key as string;
}
