import { keptSecret, type Channel, type ChannelType } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  changesOf,
  channelResolver,
  freeName,
  keysIn,
  newValues,
  optionsFor,
  tagChangesOf,
  valuesOf,
  type ChannelBody,
  type ChannelValues,
} from './channel-values.ts';

test.each([
  ['OpenAI', [], 'OpenAI'],
  ['OpenAI', ['OpenAI'], 'OpenAI-2'],
  ['OpenAI', ['OpenAI', 'OpenAI-2'], 'OpenAI-3'],
  ['azure-2', ['azure-2'], 'azure-3'],
  ['azure-2', ['azure-2', 'azure-3'], 'azure-4'],
])('%s beside %j becomes %s', (wanted, names, name) => expect(freeName(wanted, names)).toBe(name));

test('one key per line, trimmed', () => expect(keysIn(' a \n\n\r\nb\r\n')).toEqual(['a', 'b']));

test('a JSON key may span several lines', () => {
  expect(keysIn('{\n  "a": 1\n}\n{\n  "b": 2\n}', true)).toHaveLength(2);
  expect(keysIn('{\n  "a": 1\n}', true)).toHaveLength(1);
});

const channelType = (more: Partial<ChannelType> = {}): ChannelType => ({
  type: 8,
  title: 'Any',
  mark: '',
  supported: true,
  base_url: '',
  address: 'required',
  address_example: '',
  key: { forms: [['Key']], json: false, any: false },
  other: null,
  maps_models: true,
  test_model: '',
  testable: true,
  lists_models: true,
  tells_balance: false,
  website: '',
  owner: 1,
  models: [],
  plugins: [],
  ...more,
});

const values = (more: Partial<ChannelValues> = {}): ChannelValues => ({
  ...newValues([channelType()], []),
  key: 'sk-1',
  base_url: 'http://host',
  models: 'a-model',
  ...more,
});

async function resolved(given: ChannelValues, needsKey = true, type = channelType()) {
  const resolve = channelResolver([type], { needsKey });
  const options = { fields: {}, shouldUseNativeValidation: false };
  const { values: body, errors } = await resolve(given, undefined, options);
  return { body: body as ChannelBody, wrong: Object.keys(errors) };
}

describe('the rules of the form', () => {
  test.each<[why: string, change: Partial<ChannelValues>, field: string]>([
    ['no name', { name: ' ' }, 'name'],
    ['no type', { type: null }, 'type'],
    ['no key', { key: ' \n ' }, 'key'],
    ['no models', { models: '' }, 'models'],
    ['no groups', { group: '' }, 'group'],
    ['no address where the type has none', { base_url: '' }, 'base_url'],
    ['a mapping that is no JSON', { model_mapping: '{"a":' }, 'model_mapping'],
    ['a header without a name', { model_headers: '{"":"x"}' }, 'model_headers'],
    ['a proxy of another kind', { proxy: 'ftp://host' }, 'proxy'],
    ['a priority below 0', { priority: -1 }, 'priority'],
    ['weight 0', { weight: 0 }, 'weight'],
    ['no weight', { weight: null }, 'weight'],
    ['a wildcard in front', { models: '*x' }, 'models'],
    ['a time-out below 0', { idle_timeout: -1 }, 'idle_timeout'],
    ['a limit without time', { on_client_gone: 'limit', gone_seconds: null, gone_tokens: 5 }, 'gone_seconds'],
  ])('%s is told at its field', async (_, change, field) => {
    expect((await resolved(values(change))).wrong).toEqual([field]);
  });

  test('fields hidden by type or policy are not checked', async () => {
    const type = channelType({ address: 'none', maps_models: false });
    const left = { base_url: 'nowhere', model_mapping: '{', gone_seconds: -1, gone_tokens: 0.5 };
    expect((await resolved(values(left))).wrong).toEqual(['base_url', 'model_mapping']);
    const { body, wrong } = await resolved(values(left), true, type);
    expect(wrong).toEqual([]);
    expect(body).toMatchObject({ base_url: '', model_mapping: '', gone_seconds: 0, gone_tokens: 0 });
    expect((await resolved(values({ ...left, on_client_gone: 'limit' }), true, type)).wrong).toEqual([
      'gone_seconds',
      'gone_tokens',
    ]);
  });

  test('a stored key, a built-in address and empty limits are enough', async () => {
    const type = channelType({ address: 'optional', base_url: 'https://host' });
    const { body, wrong } = await resolved(values({ key: '', base_url: '' }), false, type);
    expect(wrong).toEqual([]);
    expect(body).toMatchObject({ connect_timeout: 0, gone_tokens: 0, on_client_gone: 'drain' });
  });

  test('a parameter required by the type is required', async () => {
    const other = { kind: 'region', fallback: '', required: true, example: 'eastasia' } as const;
    expect((await resolved(values(), true, channelType({ other }))).wrong).toEqual(['other']);
  });
});

const stored = {
  type: 8,
  name: 'one',
  models: 'a',
  priority: 3,
  weight: 1,
  idle_timeout: 0,
  model_headers: `{"x":"${keptSecret}"}`,
  plugin: { customize: { 1: '/chat' } },
  excluded: ['images'],
  disabled_stream: [],
  on_client_gone: 'drain',
} as Partial<Channel> as Channel;

describe('what is sent', () => {
  test('an edit sends only differences', () => {
    const start = valuesOf(stored);
    const same = { ...start, idle_timeout: 0, plugin: { customize: { 1: '/chat' } } } as unknown as ChannelBody;
    expect(changesOf(same, start)).toEqual({});
    expect(changesOf({ ...same, excluded: [], idle_timeout: 5, weight: 2 }, start)).toEqual({
      excluded: [],
      idle_timeout: 5,
      weight: 2,
    });
  });

  test('an edit of a tag sends no field that belongs to a single channel', () => {
    const start = valuesOf(stored);
    const body = { ...start, name: 'other', base_url: 'http://x', type: 1, weight: 2 } as unknown as ChannelBody;
    expect(tagChangesOf(body, start)).toEqual({ weight: 2 });
  });

  test('mapped names become models, and a copy names its source', () => {
    const body = { models: 'a', model_mapping: '{"b":"a"}' } as ChannelBody;
    expect(bodyOf(body, { id: 7 } as Channel)).toMatchObject({ models: 'a,b', copy_of: 7 });
  });

  test('options of another type are dropped', () => {
    const plugins = [{ id: 'voice', fields: [] }];
    expect(optionsFor({ voice: { alloy: 'x' }, retrieval: { a: 'b' } }, channelType({ plugins }))).toEqual({
      voice: { alloy: 'x' },
    });
  });
});
