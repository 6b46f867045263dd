import { channelApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

const valid = { type: 8, name: 'one', key: 'sk-1', base_url: 'http://127.0.0.1:9', models: 'a-model' };

const rule = (more: object) => ({ request_rules: [{ action: 'set', field: 'top_k', value: 1, ...more }] });

const invalid: [why: string, change: Record<string, unknown>, field: string, code?: string][] = [
  ['no name', { name: '' }, 'name'],
  ['a name of spaces', { name: '   ' }, 'name'],
  ['a name that is too long', { name: 'x'.repeat(101) }, 'name'],
  ['no type', { type: undefined }, 'type'],
  ['type 0', { type: 0 }, 'type'],
  ['a type as text', { type: '8' }, 'type'],
  ['a type that is not there', { type: 9999 }, 'type', 'channel.type_unknown'],
  ['a type that is not there, without an address', { type: 9999, base_url: '' }, 'type', 'channel.type_unknown'],
  ['no group', { group: '' }, 'group'],
  ['a group of commas', { group: ' , ,' }, 'group'],
  ['a group that is not there', { group: 'default,nobody' }, 'group', 'group.unknown'],
  ['no key', { key: '' }, 'key', 'channel.key_needed'],
  ['a key of empty lines', { key: ' \n \n' }, 'key', 'channel.key_needed'],
  ['no models', { models: '' }, 'models'],
  ['models of commas', { models: ' , ' }, 'models'],
  ['a wildcard alone', { models: 'a-model,*' }, 'models'],
  ['a wildcard in front', { models: '*-mini' }, 'models'],
  ['a wildcard in the middle', { models: 'gpt-*-mini' }, 'models'],
  ['two wildcards', { models: 'gpt-**' }, 'models'],
  ['no address where the type has none', { base_url: '' }, 'base_url', 'channel.address_needed'],
  ['an address that is none', { base_url: 'nowhere' }, 'base_url'],
  ['an address of another kind', { base_url: 'ftp://host' }, 'base_url'],
  ['a script for an address', { base_url: 'javascript:alert(1)' }, 'base_url'],
  ['an address with a user', { base_url: 'http://user:pass@host' }, 'base_url'],
  ['an address with a query', { base_url: 'http://host/?a=b' }, 'base_url'],
  ['a mapping that is no JSON', { model_mapping: '{a: b}' }, 'model_mapping'],
  ['a mapping that is a list', { model_mapping: '["a"]' }, 'model_mapping'],
  ['a mapping to a number', { model_mapping: '{"a":1}' }, 'model_mapping'],
  ['a mapping that is no text', { model_mapping: { a: 'b' } }, 'model_mapping'],
  ['headers that are no JSON', { model_headers: 'x-a: b' }, 'model_headers'],
  ['headers within headers', { model_headers: '{"x":{"y":"z"}}' }, 'model_headers'],
  ['a header name that is none', { model_headers: '{"x a":"b"}' }, 'model_headers'],
  ['a header with a line break', { model_headers: '{"x-a":"b\\nc"}' }, 'model_headers'],
  ['a header that the connection sets', { model_headers: '{"Content-Length":"1"}' }, 'model_headers'],
  ['a key beyond ASCII', { key: 'sk-密钥' }, 'key'],
  ['a priority below 0', { priority: -1 }, 'priority'],
  ['half a priority', { priority: 0.5 }, 'priority'],
  ['a weight below 0', { weight: -3 }, 'weight'],
  ['status 3', { status: 3 }, 'status'],
  ['a flag as text', { only_chat: 'yes' }, 'only_chat'],
  ['a counting mode that is not there', { pre_cost: 4 }, 'pre_cost'],
  ['rules that are no list', { request_rules: { top_k: 1 } }, 'request_rules'],
  ['a rule for the model', rule({ field: 'model' }), 'request_rules.0.field'],
  ['a rule for a credential', rule({ target: 'header', field: 'Authorization', value: 'x' }), 'request_rules.0.field'],
  ['a rule without a value', rule({ value: undefined }), 'request_rules.0.value'],
  [
    'a condition on a prototype',
    rule({ when: [{ field: '__proto__', test: 'present' }] }),
    'request_rules.0.when.0.field',
  ],
  ['a custom_parameter that is no JSON', { custom_parameter: '{' }, 'custom_parameter'],
  [
    'a custom_parameter with a field that no rule can set',
    { custom_parameter: '{"a":1,"model":"x"}' },
    'custom_parameter',
  ],
  [
    'a param_override with an operation that is unknown',
    { param_override: '{"operations":[{"mode":"replace","path":"a"}]}' },
    'param_override',
  ],
];

onEveryDatabase('rules for channels', (make) => {
  const hub = hubForSuite(make);
  const count = async (): Promise<number> => (await hub().root.call(channelApi.list)).total_count;

  test.each(invalid)('%s is refused', async (_, change, field, code = 'input.invalid') => {
    const before = await count();
    const answer = await hub().root.send('POST', '/api/channel/', { ...valid, ...change });
    expect(answer).toMatchObject({ status: 400, body: { success: false, code, field } });
    expect(await count()).toBe(before);
  });

  // An edit may omit type and key.
  test.each(invalid.filter(([why]) => !['no type', 'no key', 'a key of empty lines'].includes(why)))(
    '%s is refused in an edit too, and changes nothing',
    async (_, change, field, code = 'input.invalid') => {
      const id = await addChannel(hub(), 'http://127.0.0.1:9');
      const before = await hub().root.call(channelApi.get, { params: { id } });
      const answer = await hub().root.send('PUT', '/api/channel/', { id, tag: 'changed', ...change });
      expect(answer).toMatchObject({ status: 400, body: { success: false, code, field } });
      expect(await hub().root.call(channelApi.get, { params: { id } })).toEqual(before);
    },
  );

  test.each<[why: string, change: Record<string, unknown>, stored: Record<string, unknown>]>([
    ['spaces around a name', { name: '  one ' }, { name: 'one' }],
    ['blanks and repeats in models', { models: ' a, b ,,a' }, { models: 'a,b' }],
    ['a wildcard at the end', { models: 'gpt-4*' }, { models: 'gpt-4*' }],
    ['models by commas of any script', { models: 'a，b、c､d\ne\r\nf' }, { models: 'a,b,c,d,e,f' }],
    ['invisible characters in models', { models: 'a\u200b,\ufeffb,c\u2060d' }, { models: 'a,b,cd' }],
    ['groups by full-width commas', { group: 'default，vip' }, { group: 'default,vip' }],
    [
      'a base URL with the version',
      { base_url: 'http://host/v1/' },
      { base_url: 'http://host', base_url_sent: 'http://host/v1' },
    ],
    [
      'an endpoint as base URL',
      { type: 14, base_url: 'http://host/a/v1/messages' },
      { base_url: 'http://host/a', base_url_sent: 'http://host/a/v1/messages' },
    ],
    [
      'one endpoint a line',
      { key: 'sk-1\nsk-2', base_url: 'http://one/v1\nhttp://two' },
      { base_url: 'http://one', base_url_sent: 'http://one/v1' },
    ],
    ['blanks and repeats in groups', { group: 'vip, default ,vip' }, { group: 'vip,default' }],
    ['a slash behind an address', { base_url: 'http://host/v2//' }, { base_url: 'http://host/v2' }],
    ['an empty mapping', { model_mapping: '' }, { model_mapping: '' }],
    ['no address where the type has one', { type: 1, base_url: '' }, { type: 1, base_url: '' }],
    ['priority 0 and weight 1', { priority: 0, weight: 1 }, { priority: 0, weight: 1 }],
    // As clients of the family send it.
    ['weight 0, which counts as 1', { weight: 0 }, { weight: 1 }],
    [
      'nothing but what is needed',
      {},
      { group: 'default', priority: 0, weight: 1, status: 1, test_model: '', pre_cost: 1, only_chat: false },
    ],
  ])('%s is accepted', async (_, change, stored) => {
    const answer = await hub().root.send('POST', '/api/channel/', { ...valid, ...change });
    expect(answer).toMatchObject({ status: 200, body: { data: { 0: stored } } });
  });

  test('an edit takes the path of an endpoint off the base URL and says so; other edits say nothing', async () => {
    const id = await addChannel(hub(), 'http://127.0.0.1:9');
    const edit = (body: object) => hub().root.call(channelApi.update, { body: { id, ...body } });
    const sent = { base_url: 'http://127.0.0.1:9/v1/chat/completions' };
    expect(await edit(sent)).toMatchObject({ base_url: 'http://127.0.0.1:9', base_url_sent: sent.base_url });
    expect(await edit({ tag: 'x' })).not.toHaveProperty('base_url_sent');
    expect(
      await edit({ base_url: 'http://127.0.0.1:9/v1', plugin: { customize: { 1: '/chat/completions' } } }),
    ).toMatchObject({ base_url: 'http://127.0.0.1:9/v1' });
  });

  test('a key that other channels of the same address have is named with them, and only then', async () => {
    const add = async (name: string, more: object = {}) =>
      (await hub().root.call(channelApi.create, { body: { ...valid, key: 'sk-twice', name, ...more } }))[0]!;
    const first = await add('first', { base_url: 'http://same/one' });
    expect(first).not.toHaveProperty('same_key');
    const second = await add('second', { key: 'sk-other\nsk-twice', one_channel: true, base_url: 'http://same/two' });
    expect(second.same_key).toEqual([{ id: first.id, name: 'first' }]);
    expect(await add('elsewhere', { base_url: 'http://else' })).not.toHaveProperty('same_key');
    expect(await add('copy', { key: '', copy_of: first.id, base_url: 'http://same' })).not.toHaveProperty('same_key');
    await hub().root.call(channelApi.remove, { params: { id: second.id } });
    const third = await add('third', { key: 'sk-third', base_url: 'http://same' });
    const edited = await hub().root.call(channelApi.update, { body: { id: third.id, key: 'sk-twice' } });
    expect(edited.same_key?.map(({ name }) => name)).toEqual(['first', 'copy']);
  });

  test('an address is needed again when the type changes to one without', async () => {
    const [made] = await hub().root.call(channelApi.create, { body: { ...valid, type: 1, base_url: '' } });
    expect(await hub().root.try(channelApi.update, { body: { id: made!.id, type: 8 } })).toMatchObject({
      status: 400,
      body: { code: 'channel.address_needed', field: 'base_url' },
    });
    expect(
      await hub().root.call(channelApi.update, {
        body: { id: made!.id, type: 8, base_url: 'http://host', key: 'sk-again' },
      }),
    ).toMatchObject({ type: 8 });
  });

  test('a stored key is not sent to another address: it has to be entered again', async () => {
    const id = await addChannel(hub(), 'http://127.0.0.1:9');
    const again = { status: 400, body: { code: 'channel.key_again', field: 'key' } };
    expect(await hub().root.try(channelApi.update, { body: { id, base_url: 'http://elsewhere' } })).toMatchObject(
      again,
    );
    expect(
      await hub().root.try(channelApi.providerModels, { body: { id, type: 8, base_url: 'http://elsewhere' } }),
    ).toMatchObject(again);
    expect((await hub().root.call(channelApi.get, { params: { id } })).base_url).toBe('http://127.0.0.1:9');
    const moved = await hub().root.call(channelApi.update, {
      body: { id, base_url: 'http://elsewhere', key: 'sk-new' },
    });
    expect(moved.base_url).toBe('http://elsewhere');
  });
});
