import { describe, expect, test } from 'vitest';
import type { Json } from '#json.ts';
import type { ChatRequest, Part } from '../chat.ts';
import { overTheNetwork } from '../testing/bridge.ts';
import { assistant, call, neutral, results, system, text, user } from '../testing/neutral-request.ts';
import { expectRefusal } from '../testing/refusals.ts';
import { writeAnthropicRequest } from './write-anthropic-request.ts';

const write = (more: Partial<ChatRequest> = {}, model = 'claude-sonnet-4-5'): Json =>
  overTheNetwork(writeAnthropicRequest(neutral(more), { model }));
const turns = (messages: ChatRequest['messages'], model?: string) => write({ messages }, model)['messages'];
const block = (said: string) => ({ type: 'text', text: said });

describe('a conversation', () => {
  test('consecutive messages of one role are one turn, with all results in the turn after their calls', () => {
    const list = [user('A'), user('B'), assistant('C', call('x'), call('y')), results('x', 'y'), user('D')];
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [block(`of ${id}`)] });
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    expect(turns(list)).toEqual([
      { role: 'user', content: [block('A'), block('B')] },
      { role: 'assistant', content: [block('C'), use('x'), use('y')] },
      { role: 'user', content: [result('x'), result('y'), block('D')] },
    ]);
  });

  test('instructions come first, wherever they were', () => {
    const body = write({
      messages: [system('One.'), user('A'), { role: 'developer', parts: [text('Two.')] }, user('B')],
    });
    expect(body['system']).toEqual([block('One.'), block('Two.')]);
  });

  test('a model that takes instructions behind a user’s turn gets them there', () => {
    const list = [system('One.'), user('A'), system('Two.'), assistant('B'), user('C'), system('Three.')];
    const body = write({ messages: list }, 'claude-opus-4-8');
    expect(body['system']).toEqual([block('One.')]);
    expect((body['messages'] as Json[]).map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
      'user',
      'system',
    ]);
  });

  test('instructions alone are what the user says', () => {
    const body = write({ messages: [system('Tell a joke.')] });
    expect(body).toMatchObject({ messages: [{ role: 'user', content: [block('Tell a joke.')] }] });
    expect(body).not.toHaveProperty('system');
  });

  test('blank texts are left out, and an answer to go on with does not end in blanks', () => {
    expect(turns([user('A', ' '), assistant(''), user('B'), assistant('{"x":  \n')])).toEqual([
      { role: 'user', content: [block('A'), block('B')] },
      { role: 'assistant', content: [block('{"x":')] },
    ]);
  });

  test('arguments and results as they come', () => {
    const list = [user('A'), assistant(call('a b:0', 'f', ''), call('y', 'f', '{oops')), results('a b:0')];
    const [, called, answered] = turns(list) as { content: Json[] }[];
    expect(called!.content.map(({ input }) => input)).toEqual([{}, { _raw: '{oops' }]);
    expect(called!.content[0]!['id']).toMatch(/^call_[0-9a-f]{24}$/);
    expect(answered!.content[0]!['tool_use_id']).toBe(called!.content[0]!['id']);
  });

  test('an error, an empty result and one with a picture', () => {
    const parts: Part[] = [
      { type: 'tool_result', id: 'a', content: [{ type: 'text', text: 'gone' }], isError: true },
      { type: 'tool_result', id: 'b', content: [] },
      { type: 'tool_result', id: 'c', content: [{ type: 'image', source: { mime: 'image/png', base64: 'iVBO' } }] },
    ];
    expect(turns([user('A'), assistant(call('a'), call('b'), call('c')), { role: 'tool', parts }])).toMatchObject([
      {},
      {},
      {
        content: [
          { tool_use_id: 'a', is_error: true },
          { type: 'tool_result', tool_use_id: 'b' },
          { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } }] },
        ],
      },
    ]);
  });

  test('pictures, documents and marks', () => {
    const parts: Part[] = [
      { type: 'text', text: 'A', cache: {} },
      { type: 'image', source: { url: 'https://x/y.png' }, cache: { ttl: '12h' } },
      { type: 'file', source: { url: 'https://x/y.pdf' }, mime: 'application/pdf', name: 'T' },
      { type: 'file', source: { mime: 'text/csv', base64: Buffer.from('a,b').toString('base64') }, mime: 'text/csv' },
    ];
    const mark = { type: 'ephemeral' };
    expect(turns([{ role: 'user', parts }])).toEqual([
      {
        role: 'user',
        content: [
          { ...block('A'), cache_control: mark },
          { type: 'image', source: { type: 'url', url: 'https://x/y.png' }, cache_control: { ...mark, ttl: '1h' } },
          { type: 'document', title: 'T', source: { type: 'url', url: 'https://x/y.pdf' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
        ],
      },
    ]);
  });

  test('what Claude takes in no form is refused', () => {
    const refused = (part: Part) => expectRefusal(() => turns([{ role: 'user', parts: [part] }]), 'messages');
    refused({ type: 'audio', mime: 'audio/mp3', base64: 'SUQz' });
    refused({ type: 'file', source: { mime: 'application/zip', base64: 'UEsD' }, mime: 'application/zip' });
    expectRefusal(() => write({ choices: 2 }), 'n');
  });
});
