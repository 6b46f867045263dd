import {
  auditApi,
  type Channel,
  channelApi,
  channelBatchApi,
  channelTagApi,
  type RequestRule,
} from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

const rule = (field: string, value: unknown, more: Partial<RequestRule> = {}): RequestRule => ({
  action: 'set',
  target: 'body',
  field,
  value,
  models: [],
  endpoints: [],
  when: [],
  before_conversion: false,
  ...more,
});
const rules = [rule('top_k', 1), rule('a.b', [null, { c: 'd' }])];
const conditional = [rule('x', 1, { when: [{ field: 'y', test: 'is', value: 2 }] })];

onEveryDatabase('rules of channels', (make) => {
  const hub = hubForSuite(make);
  let id = 0;
  const read = () => hub().root.call(channelApi.get, { params: { id } });
  const edit = (body: object) => hub().root.call(channelApi.update, { body: { id, ...body } });
  const set = (next: RequestRule[]) => edit({ request_rules: next });

  beforeAll(async () => {
    id = await addChannel(hub(), 'http://127.0.0.1:9', { tag: 'ruled', request_rules: rules });
  });

  test('are kept in order, and replaced as a whole', async () => {
    expect(await read()).toMatchObject({ request_rules: rules });
    await set(rules.toReversed());
    expect((await read()).request_rules).toEqual(rules.toReversed());
    await set([]);
    expect(await read()).toMatchObject({ request_rules: [], custom_parameter: '' });
  });

  describe('of clients of the family', () => {
    const created: [string, object, RequestRule[]][] = [
      ['custom_parameter', { custom_parameter: '{"overwrite":true,"top_k":1}' }, [rule('top_k', 1)]],
      ['param_override', { param_override: '{"top_k":1}' }, [rule('top_k', 1)]],
      ['neither', { custom_parameter: '', param_override: '{}' }, []],
    ];
    test.each(created)('come with a new channel as %s', async (_, more, expected) => {
      const made = await addChannel(hub(), 'http://127.0.0.1:9', more);
      expect((await hub().root.call(channelApi.get, { params: { id: made } })).request_rules).toEqual(expected);
    });

    test('are read as custom_parameter, which changes them when it is changed, and nothing when it is sent back', async () => {
      await set(rules);
      const record = await read();
      expect(JSON.parse(record.custom_parameter)).toEqual({ overwrite: true, top_k: 1, a: { b: [null, { c: 'd' }] } });
      const send = (change: Partial<Channel> & { param_override?: string }) =>
        hub().root.send('PUT', '/api/channel/', { ...record, ...change });
      await send({ name: 'renamed' });
      expect(await read()).toMatchObject({ name: 'renamed', request_rules: rules });
      await send({ custom_parameter: '{"top_k":2}' });
      expect((await read()).request_rules).toEqual([rule('top_k', 2, { action: 'default' })]);
      await edit({ custom_parameter: '' });
      expect((await read()).request_rules).toEqual([]);
      await edit({ param_override: '{"operations":[{"path":"a","mode":"delete"}]}' });
      expect(await read()).toMatchObject({ request_rules: [{ action: 'delete', field: 'a' }], custom_parameter: '' });
    });

    test('are kept where custom_parameter cannot express them, also when it is sent back empty', async () => {
      await set(conditional);
      const { custom_parameter } = await read();
      expect(custom_parameter).toBe('');
      await edit({ custom_parameter, param_override: '', priority: 3 });
      expect(await read()).toMatchObject({ priority: 3, request_rules: conditional });
    });
  });

  test('can be undone, unless the key was replaced too', async () => {
    await set(rules);
    const { undo } = await set(conditional);
    expect(await hub().root.call(channelBatchApi.undo, { body: { undo: undo! } })).toEqual({ restored: 1, kept: 0 });
    expect((await read()).request_rules).toEqual(rules);
    expect(await edit({ priority: 4 })).not.toHaveProperty('undo');
    expect(await edit({ request_rules: conditional, key: 'sk-another' })).not.toHaveProperty('undo');
  });

  test('of all channels of a tag change together, and back', async () => {
    await set(rules);
    const change = { params: { tag: 'ruled' }, body: { request_rules: conditional } };
    const { undo, changed } = await hub().root.call(channelTagApi.update, change);
    expect(changed).toBe(1);
    expect((await read()).request_rules).toEqual(conditional);
    await hub().root.call(channelBatchApi.undo, { body: { undo } });
    expect((await read()).request_rules).toEqual(rules);
  });

  test('are in the audit log, before and after', async () => {
    await set(rules);
    await set(conditional);
    const { data } = await hub().root.call(auditApi.list, { query: { size: 1 } });
    const entry = await hub().root.call(auditApi.get, { params: { id: data[0]!.id } });
    expect(entry).toMatchObject({
      before: { request_rules: JSON.stringify(rules) },
      after: { request_rules: JSON.stringify(conditional) },
    });
  });
});
