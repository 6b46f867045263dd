import type { Message, Part, ThinkingPart, ToolCallPart, ToolResultPart } from '../chat.ts';
import type { Fields } from '../fields.ts';
import { customArguments, newCallId } from '../tool-calls.ts';
import { fieldSignature, readDetails, readGoogleExtra } from './openai-reasoning.ts';
import { readCacheMark, readContent } from './read-openai-parts.ts';

/** The messages of a Chat Completions request; results of parallel calls become one message. */
export function readMessages(request: Fields): Message[] {
  const list = request.objects('messages') ?? request.missing('messages');
  if (list.length === 0) request.fail('messages', 'a list with at least one message');
  const messages: Message[] = [];
  const legacy: LegacyCalls = new Map();
  for (const fields of list) {
    const message = readMessage(fields, legacy);
    const last = messages.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.parts.push(...message.parts);
    else messages.push(message);
  }
  return messages;
}

/** Former function calls have no ids, so results are matched by function name. */
type LegacyCalls = Map<string, string>;

function readMessage(message: Fields, legacy: LegacyCalls): Message {
  const role = message.oneOf('role', ['system', 'developer', 'user', 'assistant', 'tool', 'function']);
  if (role === undefined) return message.missing('role');
  const name = message.text('name');
  if (role === 'assistant') return { role, parts: readAssistant(message, legacy), name };
  if (role === 'tool') return { role, parts: [readResult(message, message.needText('tool_call_id'))] };
  if (role === 'function') {
    const called = message.needText('name');
    return { role: 'tool', parts: [{ ...readResult(message, legacy.get(called) ?? called), name: called }] };
  }
  if (!message.has('content')) message.missing('content');
  return { role, parts: marked(message, readContent(message, 'content')), name };
}

/** A cache mark on a message applies to its last part. */
function marked(message: Fields, parts: Part[]): Part[] {
  const cache = readCacheMark(message);
  const last = parts.at(-1);
  if (cache && last && 'text' in last && last.type === 'text') parts[parts.length - 1] = { ...last, cache };
  return parts;
}

function readResult(message: Fields, id: string): ToolResultPart {
  const content = readContent(message, 'content').filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  return { type: 'tool_result', id, content, cache: readCacheMark(message) };
}

function readAssistant(message: Fields, legacy: LegacyCalls): Part[] {
  const details = readDetails(message.any('reasoning_details'));
  const parts: Part[] = [...details.thinking];
  if (parts.length === 0) parts.push(...readReasoning(message));
  parts.push(...marked(message, readContent(message, 'content')));
  const refusal = message.text('refusal');
  if (refusal) parts.push({ type: 'refusal', text: refusal });
  for (const call of message.objects('tool_calls') ?? []) parts.push(readCall(call, details.calls));
  const called = message.object('function_call');
  if (called) parts.push(readLegacyCall(called, legacy));
  return parts;
}

function readReasoning(message: Fields): ThinkingPart[] {
  const field = (['reasoning_content', 'reasoning'] as const).find((name) => message.text(name));
  if (!field) return [];
  return [{ type: 'thinking', text: message.needText(field), signature: fieldSignature(field) }];
}

function readCall(call: Fields, signatures: ReadonlyMap<string, ToolCallPart['signature']>): ToolCallPart {
  const id = call.needText('id');
  const signature = readGoogleExtra(call.json) ?? signatures.get(id);
  if (call.oneOf('type', ['function', 'custom']) === 'custom') {
    const custom = call.object('custom') ?? call.missing('custom');
    const input = customArguments(custom.text('input') ?? '');
    return { type: 'tool_call', id, name: custom.needText('name'), arguments: input, signature };
  }
  const called = call.object('function') ?? call.missing('function');
  return {
    type: 'tool_call',
    id,
    name: called.needText('name'),
    arguments: called.text('arguments') ?? '',
    signature,
  };
}

function readLegacyCall(call: Fields, legacy: LegacyCalls): ToolCallPart {
  const name = call.needText('name');
  const id = newCallId();
  legacy.set(name, id);
  return { type: 'tool_call', id, name, arguments: call.text('arguments') ?? '' };
}
