import type { Usage } from '@relay-hub/contract';
import { noUsage } from '@relay-hub/contract';
import type { ChatReply, ChatRequest, Part } from '../chat.ts';

/** Usage of every simulated reply, with distinct numbers per kind. */
export const usedTokens: Usage = { ...noUsage, input: 70, cached: 30, output: 40, reasoning: 5 };

const textsIn = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/**
 * A reply that reflects the request: reasons if asked, calls every offered tool, answers in JSON for a schema, names
 * the pictures, and otherwise repeats the text.
 */
export function simulatedReply(request: ChatRequest): ChatReply {
  const last = request.messages.at(-1)!;
  const thinking: Part[] = request.reasoning ? [{ type: 'thinking', text: 'Let me see.' }] : [];
  const answered = { id: 'upstream-1', model: 'simulated', usage: usedTokens };
  if (last.role !== 'tool' && request.tools.length > 0 && request.toolChoice?.mode !== 'none') {
    const calls = request.tools.map(({ name }, i): Part => {
      return { type: 'tool_call', id: `call_${i}`, name, arguments: JSON.stringify({ city: `city ${i}` }) };
    });
    return { ...answered, parts: [...thinking, ...calls], finish: 'tool_calls' };
  }
  return { ...answered, parts: [...thinking, { type: 'text', text: answerTo(request) }], finish: 'stop' };
}

function answerTo({ messages, format }: ChatRequest): string {
  if (format?.type === 'json_schema') return JSON.stringify({ answer: 42 });
  const last = messages.at(-1)!;
  if (last.role === 'tool') {
    return last.parts
      .map((part) => (part.type === 'tool_result' ? `${part.id}=${textsIn(part.content)}` : ''))
      .join(' ');
  }
  const described = last.parts.map((part) => {
    if (part.type !== 'image') return '';
    return 'base64' in part.source ? `[${part.source.mime} ${part.source.base64}]` : `[${JSON.stringify(part.source)}]`;
  });
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer').flatMap(({ parts }) => parts);
  return `${textsIn(system)}|${textsIn(last.parts)}|${described.join('')}`;
}
