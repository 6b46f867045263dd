import type { Json } from '#json.ts';
import { type Message, OPENING } from '../chat.ts';
import { writeAnswerBlocks, writeBlocks } from './write-anthropic-blocks.ts';

export interface Turn {
  role: 'user' | 'assistant' | 'system';
  content: Json[];
}

export interface Conversation {
  system: Json[];
  messages: Turn[];
}

/**
 * Merges consecutive messages of one role and moves instructions to the front, unless the model accepts them in place,
 * between a user turn and its answer.
 */
export function writeConversation(list: readonly Message[], midSystem: boolean): Conversation {
  const system: Json[] = [];
  const messages: Turn[] = [];
  list.forEach((message, i) => {
    if (message.role !== 'system' && message.role !== 'developer') {
      const role = message.role === 'assistant' ? 'assistant' : 'user';
      add(messages, role, message.parts.flatMap(role === 'assistant' ? writeAnswerBlocks : writeBlocks));
    } else if (midSystem && messages.at(-1)?.role === 'user' && answerFollows(list, i)) {
      add(messages, 'system', message.parts.flatMap(writeBlocks));
    } else system.push(...message.parts.flatMap(writeBlocks));
  });
  if (messages.length === 0) return { system: [], messages: [{ role: 'user', content: system }] };
  withoutLastBlanks(messages.at(-1)!);
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING }] });
  return { system, messages };
}

const answerFollows = (list: readonly Message[], at: number): boolean =>
  at + 1 >= list.length || list[at + 1]?.role === 'assistant';

function add(turns: Turn[], role: Turn['role'], content: Json[]): void {
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...content);
  else turns.push({ role, content });
}

/** A prefilled answer must not end in whitespace. */
function withoutLastBlanks({ role, content }: Turn): void {
  const last = content.at(-1);
  if (role === 'assistant' && typeof last?.['text'] === 'string') last['text'] = last['text'].trimEnd();
}

/** Whether the model is in a tool loop whose initial reasoning was not sent back. */
export function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  if (last?.role !== 'user' || !last.content.some((block) => block['type'] === 'tool_result')) return false;
  return !String(turns.at(-2)?.content[0]?.['type']).endsWith('thinking');
}
