import { channelApi, channelBatchApi, channelTagApi, keptSecret, role } from '@relay-hub/contract';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, type ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const KEY = 'sk-of-the-super-administrator';
/** Forms never contain the key, so each of these keeps it. */
const unchanged = [{}, { key: '' }, { key: '   ' }, { key: '\n\t\r\n ' }];
const again = (field: string) => ({ status: 400, body: { success: false, code: 'channel.key_again', field } });

onEveryDatabase('the stored secrets of a channel, for an administrator who does not know them', (make) => {
  const hub = hubForSuite(make);
  const [own, foreign] = [upstreamForSuite(), upstreamForSuite()];
  let admin: ApiClient;
  let id = 0;
  let before = 0;

  beforeAll(async () => {
    admin = (await addPerson(hub(), { role: role.admin })).client;
  });
  beforeEach(async () => {
    id = await addChannel(hub(), own().url, { key: KEY, test_model: 'gpt-4o', tag: `tag-${id}` });
    before = foreign().requests.length;
  });

  const put = (change: object) => admin.send('PUT', '/api/channel/', { id, ...change });
  const channel = () => hub().root.call(channelApi.get, { params: { id } });
  const form = () => ({ type: 8, name: 'copy', models: 'gpt-4o', base_url: foreign().url });

  test.each(unchanged)('%j keeps the key at its address, and sends it to no other', async (blank) => {
    for (const change of [{ base_url: foreign().url }, { proxy: foreign().url }, { type: 1, base_url: '' }])
      expect(await put({ ...change, ...blank }), JSON.stringify(change)).toMatchObject(again('key'));
    expect(await admin.send('POST', '/api/channel/', { ...form(), ...blank, copy_of: id })).toMatchObject(again('key'));
    const fetched = await admin.send('POST', '/api/channel/provider_models_list', { ...form(), ...blank, id });
    expect(fetched).toMatchObject(again('key'));

    const address = `${own().url.replace('http', 'HTTP')}/`;
    expect(await put({ base_url: address, weight: 7, ...blank })).toMatchObject({ status: 200 });
    const tested = await admin.send('GET', `/api/channel/test/${id}`);
    expect(tested.status, JSON.stringify(tested.body)).toBe(200);
    expect(own().requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(foreign().requests.length).toBe(before);
  });

  test('a new key does not take the stored headers and options along', async () => {
    const model_headers = '{"x-gate":"stored-header"}';
    const plugin = { headers: { 'CF-Access-Client-Secret': 'stored-option' } };
    expect((await put({ model_headers, plugin })).status).toBe(200);
    const moved = { base_url: foreign().url, key: 'sk-mine' };
    expect(await put(moved)).toMatchObject(again('model_headers'));
    for (const headers of [{ 'x-gate': keptSecret }, { 'X-GATE': keptSecret, 'x-new': '1' }]) {
      const kept = { ...moved, model_headers: JSON.stringify(headers) };
      expect(await put(kept)).toMatchObject(again('model_headers'));
      expect(await admin.send('POST', '/api/channel/', { ...form(), ...kept, copy_of: id })).toMatchObject(
        again('model_headers'),
      );
      const fetched = await admin.send('POST', '/api/channel/provider_models_list', { ...form(), ...kept, id });
      expect(fetched).toMatchObject(again('model_headers'));
    }
    expect(await put({ ...moved, model_headers: '' })).toMatchObject(again('plugin'));
    expect(await put({ ...moved, model_headers: '', plugin: null })).toMatchObject({ status: 200 });
  });

  test('a tag gives its channels no proxy that reads their keys', async () => {
    const { tag } = await channel();
    for (const blank of unchanged) {
      const answer = await admin.send('PUT', `/api/channel_tag/${tag}`, { proxy: foreign().url, ...blank });
      expect(answer).toMatchObject(again('key'));
    }
    const added = await admin.send('PUT', `/api/channel_tag/${tag}`, { proxy: foreign().url, key: 'sk-further' });
    expect(added, 'a further key replaces none').toMatchObject(again('key'));
    const version = { ids: [id], value: '2024-10-21' };
    expect((await admin.send('PUT', '/api/channel/batch/azure_api', version)).status).toBe(200);
    expect(await channel()).toMatchObject({ proxy: '', base_url: own().url });
  });

  test('taking a change back brings no header to an address that was given since', async () => {
    expect((await put({ model_headers: '{"x-gate":"stored-header"}' })).status).toBe(200);
    const { tag } = await channel();
    const { undo } = await admin.call(channelTagApi.update, { params: { tag }, body: { model_headers: '' } });
    expect((await put({ base_url: foreign().url, key: 'sk-mine' })).status).toBe(200);
    expect(await admin.call(channelBatchApi.undo, { body: { undo } })).toEqual({ restored: 0, kept: 1 });
    expect(await channel()).toMatchObject({ model_headers: '' });
    expect((await admin.send('GET', `/api/channel/test/${id}`)).status).toBe(200);
    expect(foreign().requests.at(-1)?.headers).not.toHaveProperty('x-gate');
    // Allowed again at its own address.
    expect((await put({ base_url: own().url, key: KEY })).status).toBe(200);
  });
});
