import { BadChatRequest } from '#chat/chat-errors.ts';
import type { ChatRequest, Part } from '#chat/chat.ts';
import type { Addressed, DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { isName, parseChat } from './open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

/** Parses a chat in the caller's dialect. Throws a 400 that names the field. */
export function readChat(dialect: DialectId, json: unknown, addressed: Addressed): ParsedRequest {
  // OpenAI requests are validated by hand; the neutral form is built only for channels with another dialect.
  if (dialect === 'openai') return parseChat(json, () => readNeutral(dialect, json, addressed));
  const chat = readNeutral(dialect, json, addressed);
  if (!isName(chat.model)) throw badRequest("'model' is not valid: it must be the name of a model.", 'model');
  return {
    model: chat.model,
    stream: chat.stream,
    wantsUsage: true,
    inputTokens: estimateChat(chat),
    imageTokens: estimateImages(chat),
    outputLimit: chat.maxOutput === undefined ? undefined : chat.maxOutput * (chat.choices ?? 1),
    choices: chat.choices ?? 1,
    usesTools: chat.tools.length > 0,
    usesImages: chat.messages.some(({ parts }) => parts.some(({ type }) => type === 'image')),
    chat: () => chat,
  };
}

/** Reads a chat in its neutral form. Throws a 400 that names the field. */
export function readNeutral(dialect: DialectId, json: unknown, addressed: Addressed): ChatRequest {
  return withBadRequests(() => dialects[dialect].readRequest(json, addressed));
}

/** Runs a codec and turns what it rejects into a 400. */
export function withBadRequests<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadChatRequest) throw badRequest(error.message, error.field);
    throw error;
  }
}

const IMAGE_TOKENS = 800;

/** Estimated tokens of a prompt, by OpenAI's counting. */
function estimateChat({ messages, tools }: ChatRequest): number {
  let tokens = 3;
  for (const { parts } of messages) tokens += 4 + estimateParts(parts);
  return tools.length > 0 ? tokens + estimateTokens(JSON.stringify(tools)) : tokens;
}

const estimateImages = ({ messages }: ChatRequest): number =>
  messages.reduce((sum, { parts }) => sum + parts.filter(({ type }) => type === 'image').length, 0) * IMAGE_TOKENS;

/** Estimated tokens of message parts. */
export function estimateParts(parts: readonly Part[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.type === 'image') tokens += IMAGE_TOKENS;
    else if (part.type === 'tool_call') tokens += estimateTokens(part.name + part.arguments);
    else if (part.type === 'tool_result') tokens += estimateParts(part.content);
    else if (part.type === 'file') tokens += 'text' in part.source ? estimateTokens(part.source.text) : IMAGE_TOKENS;
    else if (part.type === 'audio') tokens += Math.ceil(part.base64.length / 1000);
    else tokens += estimateTokens(part.text);
  }
  return tokens;
}

/** All texts of a prompt, for the tokenizer. */
export function textsOf({ messages, tools }: ChatRequest): string[] {
  const texts = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      if (part.type === 'tool_call') return [part.name, part.arguments];
      if (part.type === 'tool_result') return texts(part.content);
      return 'text' in part ? [part.text] : [];
    });
  return [...messages.flatMap(({ parts }) => texts(parts)), ...tools.map((tool) => JSON.stringify(tool))];
}
