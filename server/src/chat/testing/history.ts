import type { Json } from '#json.ts';
import type { DialectId } from '../codec.ts';

const first = (list: unknown): Json => (list as Json[])[0]!;

/** The caller's next request: the answer as received, and the result of its tool call. */
export const nextRequest: Record<DialectId, (answer: Json) => Json> = {
  openai: ({ choices }) => {
    const message = first(choices)['message'] as Json;
    const result = { role: 'tool', tool_call_id: first(message['tool_calls'])['id'], content: 'sunny' };
    return { model: 'm', messages: [{ role: 'user', content: 'Weather?' }, message, result] };
  },
  responses: ({ output }) => {
    const call = (output as Json[]).find((item) => item['type'] === 'function_call')!;
    const result = { type: 'function_call_output', call_id: call['call_id'], output: 'sunny' };
    return { model: 'm', input: [{ role: 'user', content: 'Weather?' }, ...(output as Json[]), result] };
  },
  anthropic: ({ content }) => {
    const call = (content as Json[]).find((block) => block['type'] === 'tool_use')!;
    const result = { type: 'tool_result', tool_use_id: call['id'], content: 'sunny' };
    const messages = [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
    return { model: 'm', max_tokens: 100, messages };
  },
  gemini: ({ candidates }) => {
    const response = { functionResponse: { name: 'weather', response: { output: 'sunny' } } };
    const contents = [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      first(candidates)['content'],
      { role: 'user', parts: [response] },
    ];
    return { contents };
  },
};
