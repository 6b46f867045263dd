import type { IncomingMessage } from 'node:http';
import type { Part } from '#chat/chat.ts';
import type { Addressed, DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import { splitModel } from '#chat/steering.ts';
import type { Deps } from '#deps.ts';
import { authenticated } from './authenticate.ts';
import { estimateParts, textsOf, withBadRequests } from './callers-dialect.ts';
import { modelNotFound } from './models.ts';
import { parseJson, readBody } from './read-body.ts';

/**
 * How many tokens a prompt has, counted here: no channel is asked and nothing is charged. Vendors' own tokenizers differ,
 * so it is near and not exact.
 */
export async function countTokens(
  deps: Deps,
  { dialect, addressed }: { dialect: DialectId; addressed: Addressed },
  request: IncomingMessage,
): Promise<object> {
  const { group } = await authenticated(deps, request, dialect);
  const json = parseJson(await readBody(request));
  const chat = withBadRequests(() => dialects[dialect].readRequest(json, addressed));
  // How much it is to reason does not change what it is asked.
  const { model } = splitModel(chat.model);
  if (!deps.live.routes.serves(group.symbol, model)) throw modelNotFound(model);
  const texts = textsOf(chat);
  const { tokens } = await deps.tokenizer.countTokens(texts, model);
  // What is no text is estimated, and a few tokens stand around each message.
  const around = chat.messages.reduce((sum, { parts }) => sum + 4 + estimateParts(parts.filter(isNoText)), 0);
  const total = tokens + around;
  return dialect === 'gemini' ? { totalTokens: total } : { input_tokens: total };
}

const isNoText = ({ type }: Part): boolean => type === 'image' || type === 'file' || type === 'audio';
