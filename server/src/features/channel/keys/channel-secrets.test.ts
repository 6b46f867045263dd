import { channelApi, channelKeyApi, channelTagApi, keptSecret } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { chat } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { sealChannels } from './seal-channels.ts';

const secret = {
  key: 'sk-top-secret-upstream-key',
  header: 'top-secret-header-value',
  password: 'top-secret-proxy-password',
  option: 'top-secret-access-option',
};
const secrets = {
  key: secret.key,
  model_headers: JSON.stringify({ 'X-Gate': secret.header, 'x-team': 'top-secret-team' }),
  proxy: `socks5://me:${secret.password}@127.0.0.1:1080`,
  plugin: { headers: { 'CF-Access-Client-Secret': secret.option } },
};
const shown = {
  key: '',
  model_headers: JSON.stringify({ 'X-Gate': keptSecret, 'x-team': keptSecret }),
  proxy: `socks5://me:${keptSecret}@127.0.0.1:1080`,
  plugin: { headers: { 'CF-Access-Client-Secret': keptSecret } },
};

onEveryDatabase('what must not be seen of a channel', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const again = (field: string) => ({ status: 400, body: { code: 'channel.key_again', field } });
  const routed = (model: string) => hub().server.deps.live.routes.channelsFor('default', model)[0];

  test('is in no answer of the whole API, nor in the database in clear', async () => {
    const { root, server } = hub();
    const base_url = upstream().url;
    const id = await addChannel(hub(), base_url, {
      ...secrets,
      proxy: '',
      models: 'gpt-4o',
      test_model: 'gpt-4o',
      tag: 'hush',
    });
    // Inserted before the member proxy, which is absent.
    upstream().next({ status: 401, error: { message: `no: ${secret.key} ${secret.header} ${secret.option}` } });
    const refused = JSON.stringify((await root.send('GET', `/api/channel/test/${id}`)).body);
    expect(refused).toContain('no: ');
    expect(refused).not.toContain('top-secret');
    const proxied = { id, proxy: secrets.proxy, key: secret.key, model_headers: secrets.model_headers };
    expect((await root.send('PUT', '/api/channel/', { ...proxied, plugin: secrets.plugin })).status).toBe(200);
    const [key] = await root.call(channelKeyApi.list, { params: { id } });
    const channel = await root.call(channelApi.get, { params: { id } });
    const scope = { ids: [id] };
    const sent: [method: string, path: string, body?: unknown][] = [
      ['GET', `/api/channel/test/${id}`],
      ['GET', `/api/channel/?size=100`],
      ['GET', `/api/channel/?key=${secret.key}`],
      ['GET', `/api/channel/?order=trouble`],
      ['GET', `/api/channel/${id}`],
      ['PUT', '/api/channel/', { ...channel, weight: 3 }],
      ['POST', '/api/channel/', { ...channel, copy_of: id, name: 'copy' }],
      ['GET', `/api/channel/${id}/keys`],
      ['PUT', `/api/channel/${id}/keys/${key!.id}`, { status: 1 }],
      ['POST', `/api/channel/${id}/keys`, { keys: `${secret.key}\n${secret.key}-2` }],
      ['POST', '/api/channel/batch/preview', { scope, change: { verb: 'edit', weight: 4 } }],
      ['PUT', '/api/channel/batch', { scope, change: { verb: 'edit', weight: 4 } }],
      ['GET', '/api/channel_tag/'],
      ['GET', '/api/channel_tag/hush'],
      ['GET', '/api/channel_tag/hush/list'],
      ['PUT', '/api/channel_tag/hush', { ...channel, key: `${secret.key}-3` }],
      ['GET', '/api/channel/types'],
      ['GET', '/api/channel/jobs'],
      ['POST', '/api/channel/provider_models_list', { ...channel, id }],
      ['POST', '/api/channel/', { ...valid(), key: secret.key, models: '' }],
    ];
    for (const [method, path, body] of sent) {
      const answer = await root.send(method, path, body);
      expect(JSON.stringify(answer.body), `${method} ${path}`).not.toContain('top-secret');
    }
    const tables = ['channels', 'channel_keys', 'channel_undos', 'channel_jobs'] as const;
    for (const table of tables)
      expect(JSON.stringify(await server.deps.db.selectFrom(table).selectAll().execute()), table).not.toContain(
        'top-secret',
      );
  });

  const valid = () => ({ type: 8, name: 'one', base_url: upstream().url, models: 'quiet-model' });

  test('is shown as a placeholder, which keeps the stored secret when it is sent back', async () => {
    const { root } = hub();
    const [made] = await root.call(channelApi.create, { body: { ...valid(), ...secrets } });
    expect(made).toMatchObject(shown);
    const edit = { id: made!.id, model_headers: JSON.stringify({ 'x-gate': keptSecret, 'x-new': 'open' }) };
    const edited = await root.call(channelApi.update, { body: { ...edit, proxy: shown.proxy, plugin: shown.plugin } });
    expect(edited).toMatchObject({ proxy: shown.proxy, plugin: shown.plugin });
    expect(routed('quiet-model')).toMatchObject({
      proxy: secrets.proxy,
      plugin: secrets.plugin,
      headers: { 'x-gate': secret.header, 'x-new': 'open' },
    });
    expect(routed('quiet-model')?.headers).not.toHaveProperty('x-team');
  });

  test('is not told to another address, another proxy, or in the open', async () => {
    const { root } = hub();
    const [made] = await root.call(channelApi.create, { body: { ...valid(), ...secrets } });
    const put = (change: object) => root.send('PUT', '/api/channel/', { id: made!.id, ...change });
    const base_url = 'http://elsewhere.example';
    expect(await put({ base_url })).toMatchObject(again('key'));
    expect(await put({ base_url, key: 'sk-new' })).toMatchObject(again('model_headers'));
    expect(await put({ base_url, key: 'sk-new', model_headers: shown.model_headers })).toMatchObject(
      again('model_headers'),
    );
    expect(await put({ base_url, key: 'sk-new', model_headers: '' })).toMatchObject(again('plugin'));
    expect(await put({ proxy: `socks5://me:${keptSecret}@other.example:1080` })).toMatchObject({
      status: 400,
      body: { code: 'channel.proxy_again', field: 'proxy' },
    });
    expect(await put({ proxy: 'http://other.example:8080' }), 'the address is http').toMatchObject(again('key'));
    const other = { proxy: 'http://other.example:8080' };
    const copied = { ...valid(), ...shown, ...other, plugin: {}, model_headers: '', copy_of: made!.id };
    expect(await root.send('POST', '/api/channel/', copied), 'by way of a copy').toMatchObject(again('key'));
    const probed = { id: made!.id, type: 8, base_url: valid().base_url, ...other };
    expect(await root.send('POST', '/api/channel/provider_models_list', probed)).toMatchObject(again('key'));
    expect(await put({ ...other, key: 'sk-new' })).toMatchObject(again('model_headers'));
    expect((await put({ ...other, key: 'sk-new', model_headers: '', plugin: {} })).status).toBe(200);
    expect((await put({ base_url, key: 'sk-new', model_headers: '', plugin: {} })).status).toBe(200);
    const copy = { ...valid(), base_url, copy_of: made!.id };
    expect(await root.send('POST', '/api/channel/', copy)).toMatchObject({ status: 200 });
    expect(await root.send('POST', '/api/channel/', { ...copy, base_url: 'http://third.example' })).toMatchObject(
      again('key'),
    );
    const asked = { id: made!.id, type: 8, base_url: 'http://third.example' };
    expect(await root.send('POST', '/api/channel/provider_models_list', asked)).toMatchObject(again('key'));
  });

  test('goes along with a copy: keys, headers, options', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), upstream().url, {
      ...secrets,
      proxy: '',
      models: 'first-model',
      key: 'k-one\nk-two',
      one_channel: true,
    });
    const source = await root.call(channelApi.get, { params: { id } });
    const body = { ...source, name: 'copy', models: 'copied-model', copy_of: id, status: 1 as const };
    const [copy] = await root.call(channelApi.create, { body });
    expect(copy).toMatchObject({ name: 'copy', key_count: 2, used_quota: 0, model_headers: shown.model_headers });
    expect(routed('copied-model')).toMatchObject({
      keys: [{ key: 'k-one' }, { key: 'k-two' }],
      plugin: secrets.plugin,
    });
    const [own] = await root.call(channelApi.create, { body: { ...body, key: 'k-own', models: 'own-model' } });
    expect(own).toMatchObject({ key_count: 1 });
    expect(routed('own-model')).toMatchObject({ key: 'k-own', headers: { 'X-Gate': secret.header } });
    expect(await root.try(channelApi.create, { body: { ...body, copy_of: 987_654 } })).toMatchObject({ status: 404 });
  });

  test('a caller’s request carries the headers of the channel', async () => {
    await addChannel(hub(), upstream().url, { ...secrets, proxy: '', models: 'gpt-4.1-nano' });
    const { key } = await addToken(hub());
    const answer = await chat(hub(), key, 'gpt-4.1-nano');
    expect(answer.status, answer.text).toBe(200);
    expect(upstream().requests.at(-1)?.headers).toMatchObject({ 'x-gate': secret.header });
  });

  test('what an older build stored in clear is sealed at the next start', async () => {
    const { db, secrets: vault } = hub().server.deps;
    const id = await addChannel(hub(), upstream().url, { models: 'old-model', key: 'sk-old-key' });
    const clear = { model_headers: '{"x-old":"top-secret-old"}', proxy: 'http://u:top-secret-old@h' };
    await db.updateTable('channels').set(clear).where('id', '=', id).execute();
    await db.updateTable('channel_keys').set({ key_hash: '' }).where('channel_id', '=', id).execute();
    await Promise.all([sealChannels(db, vault), sealChannels(db, vault)]);
    await hub().server.deps.live.changed('routes');
    expect(routed('old-model')).toMatchObject({ proxy: clear.proxy, headers: { 'x-old': 'top-secret-old' } });
    expect(JSON.stringify(await db.selectFrom('channels').selectAll().execute())).not.toContain('top-secret-old');
    expect((await hub().root.call(channelApi.list, { query: { key: 'sk-old-key' } })).data).toMatchObject([{ id }]);
    expect(await hub().root.call(channelKeyApi.add, { params: { id }, body: { keys: 'sk-old-key' } })).toEqual({
      added: 0,
      repeated: 1,
    });
  });

  test('a tag’s channels keep their own', async () => {
    const one = { model_headers: '{"x-a":"one-value"}', tag: 'kin', models: 'kin-1' };
    await addChannel(hub(), upstream().url, one);
    await addChannel(hub(), upstream().url, { ...one, model_headers: '{"x-a":"two-value"}', models: 'kin-2' });
    const body = { model_headers: `{"x-a":"${keptSecret}","x-b":"new"}` };
    await hub().root.call(channelTagApi.update, { params: { tag: 'kin' }, body });
    expect(routed('kin-1')?.headers).toMatchObject({ 'x-a': 'one-value', 'x-b': 'new' });
    expect(routed('kin-2')?.headers).toMatchObject({ 'x-a': 'two-value', 'x-b': 'new' });
  });
});
