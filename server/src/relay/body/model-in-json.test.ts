import { expect, test } from 'vitest';
import { modelInJson } from './model-in-json.ts';

test.each<[string, string | undefined]>([
  ['{"model":"gpt-4o","messages":[', 'gpt-4o'],
  [' \n{ "model" : "gpt-4o"', 'gpt-4o'],
  ['{"a":{"model":"x"},"b":["model","x",{"model":"y"}],"model":"gpt-4o"', 'gpt-4o'],
  ['{"a":"\\"model\\":\\"x\\"","model":"a\\"b"', 'a"b'],
  ['{"a":"model","model":"gpt-4o"', 'gpt-4o'],
  ['{"m\\u006fdel":"gpt-4o"', 'gpt-4o'],
  ['{"model":"模型"}', '模型'],
  ['{"a":"{[","model":"gpt-4o"', 'gpt-4o'],
  ['{"model":"gpt-4', undefined],
  ['{"model":', undefined],
  ['{"model":5,"x":"gpt-4o"', undefined],
  ['{"model":{"model":"x"}', undefined],
  ['["model","x"]', undefined],
  [`{"model":"${'x'.repeat(2000)}"`, undefined],
  ['', undefined],
  ['nonsense', undefined],
])('in %j the model is %j', (start, model) => {
  expect(modelInJson(Buffer.from(start))).toBe(model);
});
