import type { IncomingMessage } from 'node:http';
import type { Addressed, DialectId } from '#chat/codec.ts';
import { dialects } from '#chat/codecs.ts';
import type { Deps } from '#deps.ts';
import { authenticated } from './authenticate.ts';
import { estimateChat, textsOf, withBadRequests } from './callers-dialect.ts';
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
  if (!deps.live.routes.serves(group.symbol, chat.model)) throw modelNotFound(chat.model);
  const texts = textsOf(chat);
  const { tokens } = await deps.tokenizer.countTokens(texts, chat.model);
  // Pictures, and what stands around messages, are in the estimate and not among the texts.
  const around = Math.max(
    0,
    estimateChat({ ...chat, tools: [] }) - estimateChat({ ...chat, tools: [], messages: textOnly(chat) }),
  );
  const total = tokens + around + chat.messages.length * 4;
  return dialect === 'gemini' ? { totalTokens: total } : { input_tokens: total };
}

const textOnly = ({ messages }: { messages: Parameters<typeof estimateChat>[0]['messages'] }) =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.filter(({ type }) => type !== 'image' && type !== 'file'),
  }));
