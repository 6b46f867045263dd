import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { Json } from '#json.ts';
import { fileIdsIn } from './file-ids.ts';

const idsOf = (text: string): string[] => fileIdsIn(JSON.parse(text), Buffer.from(text));
const idsIn = (json: Json): string[] => idsOf(JSON.stringify(json));

test.each<[where: string, json: Json]>([
  ['a part of a chat', { messages: [{ content: [{ type: 'file', file: { file_id: 'f1' } }] }] }],
  ['an item of Responses', { input: [{ content: [{ type: 'input_file', file_id: 'f1' }] }] }],
  ['variables of a prompt', { prompt: { variables: { doc: { type: 'input_file', file_id: 'f1' } } } }],
  [
    'a code interpreter',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['f1', 'f1'] } }] },
  ],
  ['a mask', { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'f1' } }] }],
  [
    'a document of Messages',
    { messages: [{ content: [{ type: 'document', source: { type: 'file', file_id: 'f1' } }] }] },
  ],
  [
    'a result of a tool',
    {
      messages: [
        { content: [{ type: 'tool_result', content: [{ type: 'image', source: { type: 'file', file_id: 'f1' } }] }] },
      ],
    },
  ],
])('a file is found in %s', (_, json) => expect(idsIn(json)).toEqual(['f1']));

test('an escaped name hides no file', () => {
  expect(idsOf(String.raw`{"input":[{"content":[{"type":"input_file","file\u005fid":"f1"}]}]}`)).toEqual(['f1']);
});

test.each<[what: string, json: Json]>([
  ['the arguments of a call', { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'mine' } }] }] }],
  [
    'a source of an earlier answer',
    {
      input: [
        { content: [{ type: 'output_text', annotations: [{ type: 'container_file_citation', file_id: 'f1' }] }] },
      ],
    },
  ],
  ['metadata', { metadata: { file_id: 'mine' } }],
  ['a schema', { tools: [{ input_schema: { properties: { a: { default: { file_id: 'mine' } } } } }] }],
  ['a text', { messages: [{ content: '{"file_id":"mine"}' }] }],
])('a name of the caller’s own in %s is no file', (_, json) => expect(idsIn(json)).toEqual([]));
