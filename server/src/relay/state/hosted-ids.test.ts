import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { hostedIdsIn } from './hosted-ids.ts';

const idsOf = (json: unknown) => hostedIdsIn(json, Buffer.from(JSON.stringify(json))).toSorted();

test('ids of vector stores, containers and skills are found in tools and in containers of messages', () => {
  const tools = [
    { type: 'file_search', vector_store_ids: ['vs_1', 'vs_2'], filters: { vector_store_id: 'a value' } },
    { type: 'code_interpreter', container: 'cntr_1' },
    { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } },
    { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_2' } },
    {
      type: 'shell',
      environment: {
        type: 'container_auto',
        skills: [
          { type: 'skill_reference', skill_id: 'skill_1' },
          { type: 'skill_reference', skill_id: 'openai-pdfs' },
        ],
      },
    },
    { type: 'function', name: 'f', parameters: { properties: { container_id: 'not an id' } } },
  ];
  expect(idsOf({ tools })).toEqual(['cntr_1', 'cntr_2', 'skill_1', 'vs_1', 'vs_2']);
  const container = {
    id: 'container_1',
    skills: [
      { type: 'custom', skill_id: 'skill_2' },
      { type: 'anthropic', skill_id: 'xlsx' },
    ],
  };
  expect(idsOf({ container, messages: [{ content: 'vector_store_ids' }] })).toEqual(['container_1', 'skill_2']);
  expect(idsOf({ container: 'container_2' })).toEqual(['container_2']);
  expect(idsOf({ container: null, messages: [] })).toEqual([]);
  const escaped = String.raw`{"tools":[{"type":"file_search","\u0076ector_store_ids":["vs_3"]}]}`;
  expect(hostedIdsIn(JSON.parse(escaped), Buffer.from(escaped))).toEqual(['vs_3']);
});
