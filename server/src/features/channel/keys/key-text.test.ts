import { describe, expect, test } from 'vitest';
import { keysIn } from './key-text.ts';

const key = (forms: string[][], json = false) => ({ key: { forms, json, any: false } });
const plain = key([['Key']]);
const three = key([['APPID', 'APISecret', 'APIKey']]);
const either = key([['APIKey', 'SecretKey'], ['APIKey']]);
const several = key([
  ['Region', 'ID', 'Secret'],
  ['Region', 'ID', 'Secret', 'Token'],
  ['Region', 'Bearer'],
]);
const json = key([['Key']], true);
const account = { type: 'service_account', private_key: '-----BEGIN-----\n}{\n', nested: { a: '}' } };

test.each<[why: string, type: typeof plain, text: string, keys: string[]]>([
  ['one a line, each once', plain, ' a \n\n\r\nb\r\na', ['a', 'b']],
  ['bars where they mean nothing', plain, 'a|b', ['a|b']],
  ['an object where that means nothing', plain, '{"a":1}', ['{"a":1}']],
  ['three parts', three, 'app|secret|key', ['app|secret|key']],
  ['one part or two', either, 'api|secret\nplain', ['api|secret', 'plain']],
  ['two to four', several, 'eu|id|s\nus|id|s|t\nap|bearer', ['eu|id|s', 'us|id|s|t', 'ap|bearer']],
  ['an object', json, JSON.stringify(account), [JSON.stringify(account)]],
  [
    'objects on many lines',
    json,
    `${JSON.stringify(account, null, 2)}\n\n{"type":\n"other"}`,
    [JSON.stringify(account), '{"type":"other"}'],
  ],
  ['nothing', json, '', []],
])('%s', (_, type, text, keys) => {
  expect(keysIn(text, type)).toEqual(keys);
});

describe('the wrong number of parts, or none that is JSON, is refused', () => {
  test.each<[text: string, type: typeof plain, code: string]>([
    ['app|secret', three, 'channel.key_form'],
    ['app||key', three, 'channel.key_form'],
    ['a|b|c|d', three, 'channel.key_form'],
    ['just-a-key', several, 'channel.key_form'],
    ['us|id|secret\nus', several, 'channel.key_form'],
    ['no json', json, 'channel.key_json'],
    ['{"type":', json, 'channel.key_json'],
    ['{"a":1} trailing', json, 'channel.key_json'],
  ])('%j', (text, type, code) => {
    expect(() => keysIn(text, type)).toThrow(expect.objectContaining({ code, field: 'key' }));
  });
});
