import { expect, test } from 'vitest';
import { chatAddress, chatApps, hasKeyInQuery, shownLinks } from './chat-links.ts';

const link = (name: string, more: object = {}) => ({ name, url: `https://${name}.example/`, show: true, ...more });

test('only shown links, highest sort first, those without one last', () => {
  const json = JSON.stringify([
    link('none'),
    link('one', { sort: 1 }),
    link('hidden', { show: false, sort: 9 }),
    link('two', { sort: 2 }),
  ]);
  expect(shownLinks(json).map(({ name }) => name)).toEqual(['two', 'one', 'none']);
});

test.each([
  ['no JSON', ''],
  ['no list', '{}'],
  ['no address', '[{"name":"x","show":true}]'],
  ['a script', '[{"name":"x","url":"javascript:alert(1)","show":true}]'],
  ['a bare word', '[{"name":"x","url":"chat","show":true}]'],
])('%s offers nothing', (_, json) => {
  expect(shownLinks(json)).toEqual([]);
});

const facts = { server: 'https://hub.example', site: "Ann's (Hub) 中", key: 'sk-$&1', model: 'gpt 4' };
const filled = (url: string) => chatAddress({ url }, facts);
const decoded = (text: string | undefined): unknown =>
  JSON.parse(Buffer.from(decodeURIComponent(text ?? ''), 'base64').toString());

test('key and address are put in everywhere, the address encoded', () => {
  expect(filled('app://join?a={server}&b={address}&k={key}&m={model}#{key}')).toBe(
    'app://join?a=https%3A%2F%2Fhub.example&b=https%3A%2F%2Fhub.example&k=sk-$&1&m=gpt%204#sk-$&1',
  );
  expect(filled('https://x.example/#/?settings={"key":"{key}"}')).toBe(
    'https://x.example/#/?settings={"key":"sk-$&1"}',
  );
});

test('the configuration of an app is base64 of UTF-8, in the form that the app reads', () => {
  const [cherry, deepchat, aionui] = ['cherry', 'deepchat', 'aionui'].map((app) =>
    decoded(filled(`x:{${app}Config}`).slice(2)),
  );
  expect(cherry).toMatchObject({ baseUrl: facts.server, apiKey: facts.key, name: 'Anns Hub 中' });
  expect(deepchat).toMatchObject({ baseUrl: 'https://hub.example/v1', type: 'openai-completions', name: facts.site });
  expect(aionui).toMatchObject({
    base_url: facts.server,
    baseUrl: facts.server,
    api_key: facts.key,
    apiKey: facts.key,
  });
  expect(new URLSearchParams(filled('x:{aqbotConfig}').slice(2)).get('apikey')).toBe(facts.key);
});

test('an app of a hidden link may be opened by its scheme, a web page or a refused scheme not', () => {
  const json = JSON.stringify([
    link('Web'),
    { name: 'App', url: 'MyApp://x', show: false },
    { name: 'Again', url: 'myapp://y', show: true },
    { name: 'Bad', url: 'data:x', show: true },
  ]);
  expect([...chatApps(json)]).toEqual([['myapp:', 'App']]);
});

test.each([
  ['https://x.example/?k={key}#y', true],
  ['https://x.example/?c={cherryConfig}', true],
  ['https://x.example/#?k={key}', false],
  ['app://x?k={key}', false],
])('%s has the key in its query: %s', (url, has) => expect(hasKeyInQuery(url)).toBe(has));
