import type { Json } from '#json.ts';
import type { ChatRequest, Part, Signature } from '../chat.ts';
import { sealed } from '../signatures.ts';

/** Complete items of a reply. */

export const textPart = (text: string): Json => ({ type: 'output_text', text, annotations: [], logprobs: [] });
export const refusalPart = (refusal: string): Json => ({ type: 'refusal', refusal });
export const summaryPart = (text: string): Json => ({ type: 'summary_text', text });

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export const messageItem = (id: string, content: readonly Json[], status: ItemStatus): Json => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
});

/** The original id is kept inside the content, because the item has another one. */
export const reasoningItem = (id: string, text: string, signature: Signature | undefined): Json => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [summaryPart(text)],
  ...(signature && { encrypted_content: sealed(signature, 'openai') }),
});

export interface CallItem {
  id: string;
  callId: string;
  name: string;
  /** The group of the tool; undefined: none. */
  namespace?: string | undefined;
}

/** A tool's name as the caller declared it, which may be in a group. */
export function declaredAs({ tools }: ChatRequest, name: string): Pick<CallItem, 'name' | 'namespace'> {
  const group = tools.find((tool) => tool.name === name)?.namespace;
  return group ? { name: group.name, namespace: group.group } : { name };
}

export const functionItem = ({ id, callId, name, namespace }: CallItem, json: string, status: ItemStatus): Json => ({
  id,
  type: 'function_call',
  status,
  call_id: callId,
  name,
  ...(namespace !== undefined && { namespace }),
  arguments: json,
});

export const customItem = ({ id, callId, name, namespace }: CallItem, input: string, status: ItemStatus): Json => ({
  id,
  type: 'custom_tool_call',
  status,
  call_id: callId,
  name,
  ...(namespace !== undefined && { namespace }),
  input,
});

export const imageItem = (id: string, base64: string | null, status: ItemStatus): Json => ({
  id,
  type: 'image_generation_call',
  status,
  result: base64,
});

/** Item ids consist of kind, request and position. */
export type ItemIds = (prefix: 'msg' | 'rs' | 'fc' | 'ctc' | 'ig') => string;

export function itemIds(requestId: string): ItemIds {
  let count = 0;
  return (prefix) => `${prefix}_${requestId}${count++}`;
}

export const isMessagePart = (part: Part): part is Extract<Part, { type: 'text' | 'refusal' }> =>
  part.type === 'text' || part.type === 'refusal';
