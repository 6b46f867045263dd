import type { ChatRequest, Message, Part } from '../chat.ts';

export const text = (string: string): Part => ({ type: 'text', text: string });
export const user = (...parts: (Part | string)[]): Message => message('user', parts);
export const assistant = (...parts: (Part | string)[]): Message => message('assistant', parts);
export const system = (string: string): Message => message('system', [string]);
export const call = (id: string, name = 'f', json = '{}'): Part => ({ type: 'tool_call', id, name, arguments: json });
export const results = (...ids: string[]): Message =>
  message(
    'tool',
    ids.map((id): Part => ({ type: 'tool_result', id, content: [{ type: 'text', text: `of ${id}` }] })),
  );

const message = (role: Message['role'], parts: (Part | string)[]): Message => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
});

export const neutral = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'a-model',
  messages: [user('Hello')],
  tools: [],
  stop: [],
  stream: false,
  includeUsage: false,
  ...more,
});
